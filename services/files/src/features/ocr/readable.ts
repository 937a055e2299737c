/** How the text of a file is read: as the text of a PDF, from a picture, or as it is. */
export type ReadableKind = 'pdf' | 'picture' | 'text';

const pictures = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/tiff', 'image/gif', 'image/avif']);

/** How a file can be read; undefined for types whose text cannot be read. */
export function readableKind(file: {
  contentType: string;
  detectedContentType: string | null;
}): ReadableKind | undefined {
  const { contentType, detectedContentType } = file;
  if (detectedContentType === 'application/pdf') return 'pdf';
  if (detectedContentType !== null) return pictures.has(detectedContentType) ? 'picture' : undefined;
  return /^(text\/(plain|csv|markdown)|application\/json)$/.test(contentType) ? 'text' : undefined;
}
