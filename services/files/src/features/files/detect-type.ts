import { fileTypeFromBuffer } from 'file-type';

/** How many bytes are read to detect a type: as many as file-type needs for all types it knows. */
export const sniffedBytes = 4_100;

const programs = new Set([
  'application/x-msdownload',
  'application/x-elf',
  'application/x-mach-binary',
  'application/x-ms-shortcut',
  'application/x-msi',
  'application/vnd.android.package-archive',
]);
// Types that a browser shows without running code; HTML and SVG are not among them.
const shown = /^(image\/(png|jpeg|gif|webp|avif)|application\/pdf|text\/plain|audio\/[\w.+-]+|video\/[\w.+-]+)$/;

/** Detects the media type from the first bytes of a file; null when the type is unknown. */
export async function detectType(beginning: Buffer): Promise<string | null> {
  return (await fileTypeFromBuffer(beginning))?.mime ?? null;
}

/** Whether files of this type are programs. They are stored as quarantined and never served. */
export function isProgram(detected: string | null): boolean {
  return detected !== null && programs.has(detected);
}

/** Whether a browser may show a file instead of saving it: only when claim and bytes agree on a harmless type. */
export function mayBeShown(claimed: string, detected: string | null): boolean {
  return shown.test(claimed) && (detected ?? 'text/plain') === claimed;
}
