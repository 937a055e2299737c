import {
  concatTransformationMatrix,
  LineCapStyle,
  type PDFDocument,
  type PDFPage,
  popGraphicsState,
  pushGraphicsState,
  rgb,
} from '@cantoo/pdf-lib';
import { type Fonts, runsOf, type Style, widthOf } from './fonts.ts';

/** A place on a page as it is displayed, relative to its size; x and y are the upper left corner. */
export interface Place {
  page: number;
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Content to print at a place of a page. */
export type Stamp = Place & { content: StampContent };

export type StampContent =
  | { type: 'text'; text: string }
  | { type: 'checkbox'; checked: boolean }
  | { type: 'typed'; name: string; note: string }
  | { type: 'drawn'; drawing: Drawing; note: string };

/** A drawn signature: the bytes of a PNG, or the path of its strokes in a box of 1000 by 300. */
export type Drawing = { png: Uint8Array } | { path: string };

/** The box of the strokes of a drawn signature. */
export const drawingBox = { width: 1_000, height: 300 };

const ink = rgb(0.08, 0.13, 0.36);
const faint = rgb(0.4, 0.43, 0.5);
const noteSize = 5.5;

/** Prints values on pages. Pages may be cropped and rotated: places are those that a reader sees. */
export async function stampAll(document: PDFDocument, fonts: Fonts, stamps: readonly Stamp[]): Promise<void> {
  const pages = document.getPages();
  for (const stamp of stamps) {
    const page = pages[stamp.page - 1];
    if (!page) continue;
    const area = displayedArea(page);
    page.pushOperators(pushGraphicsState(), concatTransformationMatrix(...area.matrix));
    const box = {
      x: stamp.x * area.width,
      y: (1 - stamp.y - stamp.height) * area.height,
      width: stamp.width * area.width,
      height: stamp.height * area.height,
    };
    await draw({ document, page, fonts }, box, stamp.content);
    page.pushOperators(popGraphicsState());
  }
}

interface Canvas {
  document: PDFDocument;
  page: PDFPage;
  fonts: Fonts;
}

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

async function draw(canvas: Canvas, box: Box, content: StampContent): Promise<void> {
  if (content.type === 'text') return drawFitted(canvas, box, content.text, canvas.fonts.plain);
  if (content.type === 'checkbox') return content.checked ? drawCheck(canvas, box) : undefined;
  const noteHeight = box.height > noteSize * 4 ? noteSize * 1.6 : 0;
  const upper = { ...box, y: box.y + noteHeight, height: box.height - noteHeight };
  if (noteHeight) drawFitted(canvas, { ...box, height: noteHeight }, content.note, canvas.fonts.plain, noteSize);
  if (content.type === 'typed') return drawFitted(canvas, upper, content.name, canvas.fonts.handwriting);
  await drawDrawing(canvas, upper, content.drawing);
}

function drawFitted({ page }: Canvas, box: Box, text: string, style: Style, sizeMax = 14): void {
  const runs = runsOf(text, style);
  const isHandwriting = style.length > 2;
  const largest = isHandwriting ? box.height * 0.75 : Math.min(sizeMax, box.height * 0.72);
  const size = Math.min(largest, (box.width / Math.max(widthOf(runs, 1), 0.01)) * 0.98);
  let x = box.x;
  for (const { font, text: part } of runs) {
    const y = box.y + (box.height - size * 0.7) / 2;
    page.drawText(part, { x, y, size, font, color: sizeMax === noteSize ? faint : ink });
    x += font.widthOfTextAtSize(part, size);
  }
}

function drawCheck({ page }: Canvas, { x, y, width, height }: Box): void {
  const side = Math.min(width, height);
  const at = (left: number, up: number) => ({ x: x + left * side, y: y + up * side });
  const line = { thickness: side * 0.12, color: ink, lineCap: LineCapStyle.Round };
  page.drawLine({ start: at(0.15, 0.5), end: at(0.4, 0.2), ...line });
  page.drawLine({ start: at(0.4, 0.2), end: at(0.85, 0.82), ...line });
}

async function drawDrawing({ document, page }: Canvas, box: Box, drawing: Drawing): Promise<void> {
  const image = 'png' in drawing ? await document.embedPng(drawing.png) : undefined;
  const { width, height } = image ?? drawingBox;
  const scale = Math.min(box.width / width, box.height / height);
  const y = box.y + (box.height - height * scale) / 2;
  if (image) page.drawImage(image, { x: box.x, y, width: width * scale, height: height * scale });
  else if ('path' in drawing)
    page.drawSvgPath(drawing.path, {
      x: box.x,
      // Paths begin at their upper left corner.
      y: y + height * scale,
      scale,
      borderColor: ink,
      borderWidth: 11,
      borderLineCap: LineCapStyle.Round,
    });
}

type Matrix = [a: number, b: number, c: number, d: number, e: number, f: number];

/** The size of a page as it is displayed, and the transformation of its lower left corner to the page's own coordinates. */
function displayedArea(page: PDFPage): { width: number; height: number; matrix: Matrix } {
  const { x, y, width, height } = page.getCropBox();
  const angle = ((page.getRotation().angle % 360) + 360) % 360;
  if (angle === 90) return { width: height, height: width, matrix: [0, 1, -1, 0, x + width, y] };
  if (angle === 180) return { width, height, matrix: [-1, 0, 0, -1, x + width, y + height] };
  if (angle === 270) return { width: height, height: width, matrix: [0, -1, 1, 0, x, y + height] };
  return { width, height, matrix: [1, 0, 0, 1, x, y] };
}
