import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { PDFDocument, PDFFont } from '@cantoo/pdf-lib';
import * as fontkit from 'fontkit';

/** A font of the document and the characters that it has. */
interface Face {
  font: PDFFont;
  has(codePoint: number): boolean;
}

/** Fonts by preference: a character is printed in the first one that has it. */
export type Style = readonly Face[];

export interface Fonts {
  plain: Style;
  bold: Style;
  /** For typed signatures. */
  handwriting: Style;
}

const require = createRequire(import.meta.url);
const files = {
  plain: '@expo-google-fonts/noto-sans/400Regular/NotoSans_400Regular.ttf',
  bold: '@expo-google-fonts/noto-sans/700Bold/NotoSans_700Bold.ttf',
  italic: '@expo-google-fonts/noto-sans/400Regular_Italic/NotoSans_400Regular_Italic.ttf',
  caveat: '@expo-google-fonts/caveat/500Medium/Caveat_500Medium.ttf',
};
const contents = new Map<string, Uint8Array>();
// Printed for a character that no font has.
const replacement = '\ufffd';

/** Embeds the fonts into a document. They ship with the service, so that a name looks the same on every machine. */
export async function embedFonts(document: PDFDocument): Promise<Fonts> {
  document.registerFontkit(fontkit as never);
  const embed = async (name: keyof typeof files): Promise<Face> => {
    const bytes = contentOf(files[name]);
    // Ligatures are off: the subset would lack the glyphs of their parts.
    const font = await document.embedFont(bytes, { subset: true, features: { liga: false, clig: false } });
    const parsed = fontkit.create(bytes as never) as fontkit.Font;
    return { font, has: (codePoint) => parsed.hasGlyphForCodePoint(codePoint) };
  };
  const [plain, bold, italic, caveat] = await Promise.all([
    embed('plain'),
    embed('bold'),
    embed('italic'),
    embed('caveat'),
  ]);
  return { plain: [plain], bold: [bold, plain], handwriting: [caveat, italic, plain] };
}

function contentOf(path: string): Uint8Array {
  const known = contents.get(path);
  if (known) return known;
  const read = new Uint8Array(readFileSync(require.resolve(path)));
  contents.set(path, read);
  return read;
}

/** A part of a text in one font. */
export interface TextRun {
  font: PDFFont;
  text: string;
}

/** Divides a text into parts that one font can print. */
export function runsOf(text: string, style: Style): TextRun[] {
  const runs: TextRun[] = [];
  // A composed character is one glyph of the fonts, its parts are not placed over each other.
  for (const character of text.normalize('NFC').replace(/\s/gu, ' ')) {
    const codePoint = character.codePointAt(0) as number;
    const face = style.find(({ has }) => has(codePoint));
    const { font } = face ?? (style.at(-1) as Face);
    const printed = face ? character : replacement;
    const last = runs.at(-1);
    if (last?.font === font) last.text += printed;
    else runs.push({ font, text: printed });
  }
  return runs;
}

export function widthOf(runs: readonly TextRun[], size: number): number {
  return runs.reduce((width, { font, text }) => width + font.widthOfTextAtSize(text, size), 0);
}
