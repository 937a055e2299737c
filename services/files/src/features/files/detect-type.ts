import { fileTypeFromBuffer } from 'file-type';

/** Number of bytes that file-type needs to detect all of its types. */
export const sniffedBytes = 4_100;

const programs = new Set([
  'application/x-msdownload',
  'application/x-elf',
  'application/x-mach-binary',
  'application/x-ms-shortcut',
  'application/x-msi',
  'application/vnd.android.package-archive',
]);
// Types that a browser displays without running code; excludes HTML and SVG.
const displayable = /^(image\/(png|jpeg|gif|webp|avif)|application\/pdf|text\/plain|audio\/[\w.+-]+|video\/[\w.+-]+)$/;

/** Detects the media type from the first bytes of a file; null when the type is unknown. */
export async function detectType(beginning: Buffer): Promise<string | null> {
  return (await fileTypeFromBuffer(beginning))?.mime ?? null;
}

/** Whether files of this type are programs. They are stored as quarantined and never served. */
export function isProgram(detected: string | null): boolean {
  return detected !== null && programs.has(detected);
}

/** Whether a browser may display a file: only when declared and detected type are the same harmless type. */
export function isDisplayable(declared: string, detected: string | null): boolean {
  return displayable.test(declared) && (detected ?? 'text/plain') === declared;
}
