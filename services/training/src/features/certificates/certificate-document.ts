import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { PDFDocument, type PDFFont, type PDFPage, rgb } from '@cantoo/pdf-lib';
import * as fontkit from 'fontkit';

/** The texts of a certificate. */
export interface CertificateContent {
  title: string;
  text: string | null;
  signatory: string | null;
  signatoryTitle: string | null;
  learnerName: string;
  courseTitle: string;
  score: number | null;
  issuedAt: Date;
  expiresAt: Date | null;
  url: string;
}

const require = createRequire(import.meta.url);
// They ship with the service, so that a name in Latin, Greek or Cyrillic letters looks the same on every machine.
const files = {
  plain: '@expo-google-fonts/noto-sans/400Regular/NotoSans_400Regular.ttf',
  bold: '@expo-google-fonts/noto-sans/700Bold/NotoSans_700Bold.ttf',
};
const fonts = Object.fromEntries(
  Object.entries(files).map(([name, path]) => {
    const bytes = new Uint8Array(readFileSync(require.resolve(path)));
    return [name, { bytes, parsed: fontkit.create(bytes as never) as fontkit.Font }];
  }),
) as Record<keyof typeof files, { bytes: Uint8Array; parsed: fontkit.Font }>;

// A4, landscape.
const size = { width: 841.89, height: 595.28, margin: 70 };
const dark = rgb(0.12, 0.14, 0.19);
const faint = rgb(0.4, 0.43, 0.5);
const linesMax = 4;

interface Line {
  text: string;
  font: PDFFont;
  size: number;
  color?: ReturnType<typeof rgb>;
  /** The space below. */
  gap: number;
}

/** Renders a certificate as a PDF document of one page. */
export async function certificateDocument(content: CertificateContent): Promise<Uint8Array> {
  const document = await PDFDocument.create();
  document.registerFontkit(fontkit as never);
  // Ligatures are off: the subset would lack the glyphs of their parts.
  const embed = (name: keyof typeof files) =>
    document.embedFont(fonts[name].bytes, { subset: true, features: { liga: false, clig: false } });
  const [plain, bold] = await Promise.all([embed('plain'), embed('bold')]);
  document.setTitle(`${content.title}: ${content.learnerName}`);
  document.setLanguage('en');
  const page = document.addPage([size.width, size.height]);
  const inset = 28;
  page.drawRectangle({
    x: inset,
    y: inset,
    width: size.width - 2 * inset,
    height: size.height - 2 * inset,
    borderColor: faint,
    borderWidth: 1.5,
  });
  const y = writeCentered(page, size.height - 130, [
    { text: content.title, font: bold, size: 34, gap: 30 },
    { text: content.learnerName, font: bold, size: 26, gap: 18 },
    { text: content.text ?? 'has completed the course', font: plain, size: 13, color: faint, gap: 18 },
    { text: content.courseTitle, font: bold, size: 20, gap: 22 },
    ...(content.score === null
      ? []
      : [{ text: `Score: ${content.score} %`, font: plain, size: 12, color: faint, gap: 6 }]),
    { text: datesOf(content), font: plain, size: 12, color: faint, gap: 30 },
  ]);
  if (content.signatory)
    writeCentered(page, Math.min(y, 140), [
      { text: content.signatory, font: bold, size: 13, gap: 4 },
      ...(content.signatoryTitle
        ? [{ text: content.signatoryTitle, font: plain, size: 11, color: faint, gap: 4 }]
        : []),
    ]);
  writeCentered(page, 60, [{ text: content.url, font: plain, size: 9, color: faint, gap: 0 }]);
  return document.save();
}

function datesOf({ issuedAt, expiresAt }: CertificateContent): string {
  const day = (time: Date) => time.toISOString().slice(0, 10);
  return expiresAt ? `Issued ${day(issuedAt)} · valid until ${day(expiresAt)}` : `Issued ${day(issuedAt)}`;
}

/** Writes lines below each other; long ones are broken, and shortened after some lines. */
function writeCentered(page: PDFPage, top: number, lines: readonly Line[]): number {
  let y = top;
  for (const { text, font, size: fontSize, color = dark, gap } of lines) {
    for (const part of broken(printable(text), font, fontSize)) {
      page.drawText(part, {
        x: (size.width - font.widthOfTextAtSize(part, fontSize)) / 2,
        y,
        size: fontSize,
        font,
        color,
      });
      y -= fontSize * 1.3;
    }
    y -= gap;
  }
  return y;
}

function broken(text: string, font: PDFFont, fontSize: number): string[] {
  const widthMax = size.width - 2 * size.margin;
  const fits = (line: string) => font.widthOfTextAtSize(line, fontSize) <= widthMax;
  const lines: string[] = [''];
  for (const word of text.split(' ')) {
    const last = lines.at(-1) as string;
    const longer = last ? `${last} ${word}` : word;
    if (fits(longer)) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines
    .filter(Boolean)
    .slice(0, linesMax)
    .map((line) => {
      const characters = [...line];
      while (characters.length && !fits(characters.join(''))) characters.pop();
      return characters.join('');
    });
}

/** Characters that the font lacks are shown as a replacement, because the document could not be made otherwise. */
function printable(text: string): string {
  const { parsed } = fonts.plain;
  return [...text.normalize('NFC').replaceAll(/\s+/gu, ' ').trim()]
    .map((character) => (parsed.hasGlyphForCodePoint(character.codePointAt(0) as number) ? character : '\ufffd'))
    .join('');
}
