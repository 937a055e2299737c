import type { Box, Line, PageText, Segment } from './document.ts';

/** A piece of text with its place, as a PDF or the recognition provides it. */
export interface Piece {
  text: string;
  box: Box;
  confidence: number;
}

// Parts of the height of a line. Pieces on one line overlap by half; a gap of a fifth is a space between words, and one
// and a half heights are the space between columns.
const sameLine = 0.5;
const space = 0.2;
const column = 1.5;

/** Arranges the pieces of a page as lines from top to bottom, and their parts from left to right. */
export function linesOf(pieces: readonly Piece[]): Line[] {
  const sorted = pieces
    .filter(({ text }) => text.trim() !== '')
    .sort((a, b) => a.box[1] - b.box[1] || a.box[0] - b.box[0]);
  const rows: { top: number; bottom: number; pieces: Piece[] }[] = [];
  for (const piece of sorted) {
    const [, top, , bottom] = piece.box;
    // Only the last rows can be on the same line: the pieces are sorted by their top.
    const row = rows.slice(-3).find((one) => overlap(one, { top, bottom }) >= sameLine);
    if (row) row.pieces.push(piece);
    else rows.push({ top, bottom, pieces: [piece] });
  }
  return rows.map((row) => lineOf(row.pieces.sort((a, b) => a.box[0] - b.box[0])));
}

/** The text of a page, with its lines and their average confidence. */
export function pageOf(page: Pick<PageText, 'number' | 'width' | 'height'>, lines: Line[]): PageText {
  const letters = lines.reduce((sum, { text }) => sum + text.length, 0);
  const sure = lines.reduce((sum, { text, confidence }) => sum + confidence * text.length, 0);
  return {
    ...page,
    text: lines.map(({ text }) => text).join('\n'),
    confidence: letters ? round(sure / letters) : 0,
    lines,
  };
}

/** The shared part of two rows, as a part of the lower one of them. */
function overlap(a: { top: number; bottom: number }, b: { top: number; bottom: number }): number {
  const height = Math.min(a.bottom - a.top, b.bottom - b.top);
  return height > 0 ? (Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top)) / height : 0;
}

function lineOf(pieces: Piece[]): Line {
  const segments: Segment[] = [];
  let last: Piece | undefined;
  for (const piece of pieces) {
    const segment = segments.at(-1);
    const height = piece.box[3] - piece.box[1];
    const gap = last ? piece.box[0] - last.box[2] : 0;
    if (!segment || gap > height * column) segments.push({ text: piece.text.trim(), box: piece.box });
    else {
      const isApart = gap > height * space || /\s$/.test(last?.text ?? '') || /^\s/.test(piece.text);
      segment.text += (isApart ? ' ' : '') + piece.text.trim();
      segment.box = around([segment.box, piece.box]);
    }
    last = piece;
  }
  const letters = pieces.reduce((sum, { text }) => sum + text.length, 0);
  return {
    text: segments.map(({ text }) => text).join(' '),
    confidence: round(pieces.reduce((sum, { text, confidence }) => sum + confidence * text.length, 0) / letters),
    box: around(segments.map(({ box }) => box)),
    segments,
  };
}

function around(boxes: readonly Box[]): Box {
  const edge = (index: 0 | 1 | 2 | 3, pick: (...values: number[]) => number) =>
    Math.round(pick(...boxes.map((box) => box[index])) * 10) / 10;
  return [edge(0, Math.min), edge(1, Math.min), edge(2, Math.max), edge(3, Math.max)];
}

function round(confidence: number): number {
  return Math.round(confidence * 1_000) / 1_000;
}
