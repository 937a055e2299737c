import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createCanvas } from '@napi-rs/canvas';
import { getDocument, type PDFDocumentProxy, type PDFPageProxy, VerbosityLevel } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { DocumentError, type PageText } from './document.ts';
import { linesOf, type Piece, pageOf } from './lines.ts';

const folder = dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json'));
const pointsPerInch = 72;
// Pictures inside of a document with more pixels are left out.
const imagePixelsMax = 50_000_000;
// The PDF specification limits pages to 14,400 points.
const pointsMax = 14_400;
const piecesMax = 50_000;

/**
 * Opens a document. Its scripts never run: pdf.js runs them only in a browser's viewer.
 * @throws DocumentError when it is encrypted or damaged
 */
export async function openPdf<T>(data: Uint8Array, use: (pdf: PDFDocumentProxy) => Promise<T>): Promise<T> {
  const loading = getDocument({
    data,
    verbosity: VerbosityLevel.ERRORS,
    disableFontFace: true,
    useSystemFonts: false,
    maxImageSize: imagePixelsMax,
    standardFontDataUrl: join(folder, 'standard_fonts/'),
    cMapUrl: join(folder, 'cmaps/'),
    wasmUrl: join(folder, 'wasm/'),
  });
  try {
    return await use(await loading.promise);
  } catch (error) {
    if (error instanceof DocumentError) throw error;
    throw new DocumentError((error as Error).name === 'PasswordException' ? 'encrypted' : 'damaged');
  } finally {
    await loading.destroy().catch(() => {});
  }
}

/** The text that a page contains as text; no lines for a scanned page. */
export async function textOfPage(pdf: PDFDocumentProxy, number: number): Promise<PageText> {
  const page = await pdf.getPage(number);
  const { width, height, transform } = pageView(page, 1);
  const { items } = await page.getTextContent();
  if (items.length > piecesMax) throw new DocumentError('too_large');
  const pieces = items.flatMap((item): Piece[] => {
    if (!('str' in item) || item.str.trim() === '') return [];
    const [, , , , x, y] = item.transform as number[];
    const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = transform;
    const left = a * (x as number) + c * (y as number) + e;
    const baseline = b * (x as number) + d * (y as number) + f;
    return [{ text: item.str, confidence: 1, box: [left, baseline - item.height, left + item.width, baseline] }];
  });
  page.cleanup();
  return pageOf({ number, width, height }, linesOf(pieces));
}

/** Draws a page as PNG, with as many pixels as the resolution and the limit allow. */
export async function drawPage(
  pdf: PDFDocumentProxy,
  number: number,
  { dpi, pixelsMax }: { dpi: number; pixelsMax: number },
): Promise<{ png: Buffer; width: number; height: number; scale: number }> {
  const page = await pdf.getPage(number);
  const { width, height } = pageView(page, 1);
  const scale = Math.min(dpi / pointsPerInch, Math.sqrt(pixelsMax / (width * height)));
  const { viewport } = pageView(page, scale);
  const canvas = createCanvas(Math.max(1, Math.round(viewport.width)), Math.max(1, Math.round(viewport.height)));
  await page.render({ canvas: canvas as never, viewport, background: 'white' }).promise;
  page.cleanup();
  return { png: canvas.toBuffer('image/png'), width: canvas.width, height: canvas.height, scale };
}

function pageView(page: PDFPageProxy, scale: number) {
  const viewport = page.getViewport({ scale });
  const { width, height, transform } = viewport;
  const isPossible = (points: number) => points > 0 && points <= pointsMax * Math.max(1, scale);
  if (!isPossible(width) || !isPossible(height)) throw new DocumentError('damaged');
  return { viewport, width, height, transform };
}
