import { fileTypeFromBuffer } from 'file-type';

/** How much of a file is looked at: what file-type needs for all it knows. */
export const sniffedBytes = 4_100;

const programs = new Set([
  'application/x-msdownload',
  'application/x-elf',
  'application/x-mach-binary',
  'application/x-ms-shortcut',
  'application/x-msi',
  'application/vnd.android.package-archive',
]);
// What a browser shows without running anything of it; HTML and SVG are not among them.
const shown = /^(image\/(png|jpeg|gif|webp|avif)|application\/pdf|text\/plain|audio\/[\w.+-]+|video\/[\w.+-]+)$/;

/** The media type that the beginning of a file looks like; null when it has no form that is known. */
export async function detectType(beginning: Buffer): Promise<string | null> {
  return (await fileTypeFromBuffer(beginning))?.mime ?? null;
}

/** Whether a file of this type is a program: it is kept, and nobody gets it. */
export function isProgram(detected: string | null): boolean {
  return detected !== null && programs.has(detected);
}

/** Whether a browser may show a file instead of saving it: only when claim and bytes agree on a harmless type. */
export function mayBeShown(claimed: string, detected: string | null): boolean {
  return shown.test(claimed) && (detected ?? 'text/plain') === claimed;
}
