import sharp from 'sharp';
import { DocumentError, type Preview } from './document.ts';

// Decoding takes four bytes per pixel.
const pixelsMax = 60_000_000;
// A scan with 300 dpi of a page in A4 has 8.7 million pixels; more do not improve the recognition.
const recognizedPixelsMax = 12_000_000;

sharp.cache(false);
sharp.concurrency(1);

/** Makes previews of a picture that fit into squares. Removes metadata, such as the place where a photo was taken. */
export async function previewsOf(source: string | Buffer, sides: readonly number[]): Promise<Preview[]> {
  const { width, height, pages } = await sizeOf(source);
  const previews: Preview[] = [];
  for (const side of sides) {
    const picture = sharp(source, { limitInputPixels: pixelsMax, pages: 1, ...(pages === 1 && { animated: false }) })
      .autoOrient()
      .resize({ width: side, height: side, fit: 'inside', withoutEnlargement: true })
      .webp({ quality: 80 });
    const { data, info } = await decoded(picture.toBuffer({ resolveWithObject: true }));
    previews.push({ width: info.width, height: info.height, content: data });
  }
  if (!width || !height) throw new DocumentError('damaged');
  return previews;
}

/** Prepares a picture for recognition: upright, grey, on white, and not larger than useful. */
export async function recognizable(source: string | Buffer): Promise<{ png: Buffer; width: number; height: number }> {
  const { width, height } = await sizeOf(source);
  const scale = Math.min(1, Math.sqrt(recognizedPixelsMax / (width * height)));
  const picture = sharp(source, { limitInputPixels: pixelsMax, pages: 1 })
    .autoOrient()
    .flatten({ background: 'white' })
    .greyscale()
    .resize({
      width: Math.max(1, Math.round(Math.max(width, height) * scale)),
      height: Math.max(1, Math.round(Math.max(width, height) * scale)),
      fit: 'inside',
      withoutEnlargement: true,
    })
    .png();
  const { data, info } = await decoded(picture.toBuffer({ resolveWithObject: true }));
  return { png: data, width: info.width, height: info.height };
}

/** Reads the size from the header, before any pixel is decoded. */
async function sizeOf(source: string | Buffer): Promise<{ width: number; height: number; pages: number }> {
  const { width, height, pages = 1 } = await decoded(sharp(source, { limitInputPixels: false }).metadata());
  if (width * height > pixelsMax) throw new DocumentError('too_large');
  return { width, height, pages };
}

async function decoded<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw new DocumentError((error as Error).message.includes('pixel limit') ? 'too_large' : 'damaged');
  }
}
