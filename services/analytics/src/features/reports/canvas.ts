import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Color, PDFDocument, type PDFPage, rgb } from '@cantoo/pdf-lib';
import * as fontkit from 'fontkit';

const require = createRequire(import.meta.url);
// They ship with the service, so that a name in Latin, Greek or Cyrillic letters looks the same on every machine.
const files = {
  plain: '@expo-google-fonts/noto-sans/400Regular/NotoSans_400Regular.ttf',
  bold: '@expo-google-fonts/noto-sans/700Bold/NotoSans_700Bold.ttf',
};
type Font = keyof typeof files;

// A4.
const size = { width: 595.28, height: 841.89, margin: 48 };
const lineHeight = 15;

export const left = size.margin;
export const right = size.width - size.margin;
export const colors = {
  dark: rgb(0.12, 0.14, 0.19),
  faint: rgb(0.4, 0.43, 0.5),
  line: rgb(0.85, 0.87, 0.9),
  accents: [rgb(0.15, 0.39, 0.92), rgb(0.09, 0.6, 0.4), rgb(0.85, 0.45, 0.1), rgb(0.6, 0.2, 0.7)],
};

interface Text {
  text: string;
  x: number;
  /** The text ends at `x` instead. */
  isEnd?: boolean;
  font?: Font;
  size?: number;
  color?: Color;
}

/** Pages that are written from the top; the next one begins when one is full. */
export interface Canvas {
  page: PDFPage;
  /** The height of the next line. */
  y: number;
  /** Begins a page unless so much height is left. */
  reserve(height: number): void;
  write(text: Text & { y: number }): void;
  line(...texts: Text[]): void;
  heading(text: string): void;
  gap(height: number): void;
  save(): Promise<Uint8Array>;
}

export async function createCanvas(title: string): Promise<Canvas> {
  const document = await PDFDocument.create();
  document.registerFontkit(fontkit as never);
  document.setTitle(title);
  document.setLanguage('en');
  const faces = { plain: new Uint8Array(), bold: new Uint8Array() };
  for (const name of ['plain', 'bold'] as const)
    faces[name] = new Uint8Array(readFileSync(require.resolve(files[name])));
  const parsed = fontkit.create(faces.plain as never) as fontkit.Font;
  // Ligatures are off: the subset would lack the glyphs of their parts.
  const embed = (name: Font) =>
    document.embedFont(faces[name], { subset: true, features: { liga: false, clig: false } });
  const fonts = { plain: await embed('plain'), bold: await embed('bold') };
  const newPage = () => document.addPage([size.width, size.height]);
  const canvas: Canvas = {
    page: newPage(),
    y: size.height - size.margin,
    reserve(height) {
      if (canvas.y - height >= size.margin) return;
      canvas.page = newPage();
      canvas.y = size.height - size.margin;
    },
    write({ text, x, y, isEnd, font = 'plain', size: fontSize = 9, color = colors.dark }) {
      const shown = printable(text, parsed);
      const start = isEnd ? x - fonts[font].widthOfTextAtSize(shown, fontSize) : x;
      canvas.page.drawText(shown, { x: start, y, size: fontSize, font: fonts[font], color });
    },
    line(...texts) {
      canvas.reserve(lineHeight);
      canvas.y -= lineHeight;
      for (const text of texts) canvas.write({ ...text, y: canvas.y });
    },
    heading(text) {
      canvas.reserve(lineHeight * 4);
      canvas.gap(10);
      canvas.line({ text, x: left, font: 'bold', size: 12 });
      canvas.gap(4);
    },
    gap(height) {
      canvas.y -= height;
    },
    save: () => document.save(),
  };
  return canvas;
}

const textMax = 120;

/** Characters that the font lacks are shown as a replacement, because the document could not be made otherwise. */
function printable(text: string, font: fontkit.Font): string {
  const characters = [...text.normalize('NFC').replaceAll(/\s+/gu, ' ').trim()].slice(0, textMax);
  return characters
    .map((character) => (font.hasGlyphForCodePoint(character.codePointAt(0) as number) ? character : '\ufffd'))
    .join('');
}
