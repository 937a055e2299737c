/** The sides of the squares that previews fit into, in pixels, by the size that clients name. */
export const previewSides = { small: 256, large: 1_024 } as const;

export type PreviewSide = (typeof previewSides)[keyof typeof previewSides];

/** The media type of all previews. */
export const previewType = 'image/webp';

/** The key of a preview: that of its object, so that it can be removed with it. */
export function previewKey(objectKey: string, side: PreviewSide): string {
  return `${objectKey}-preview-${side}`;
}

/** The keys of an object and of its previews. */
export function keysOf(objectKey: string): string[] {
  return [objectKey, ...Object.values(previewSides).map((side) => previewKey(objectKey, side))];
}
