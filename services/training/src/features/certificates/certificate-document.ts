import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { PDFDocument, type PDFFont, type PDFPage, rgb } from '@cantoo/pdf-lib';
import * as fontkit from 'fontkit';

/** The texts of a certificate. */
export interface CertificateContent {
  /** Whether nobody has completed a course: a certificate of the sandbox. */
  isTest: boolean;
  issuer: string;
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
const warning = rgb(0.72, 0.11, 0.11);
// The texts are between these heights; below are the signatory and the address.
const lineHeight = 1.3;
const [top, bottom] = [size.height - 120, 150];
// Long texts are written in smaller letters until they fit.
const scales = [1, 0.85, 0.7, 0.6, 0.5, 0.4];

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
  const lines = [
    ...(content.isTest ? [{ text: 'Test', font: bold, size: 20, color: warning, gap: 6 }] : []),
    { text: content.title, font: bold, size: 34, gap: 28 },
    { text: content.learnerName, font: bold, size: 26, gap: 16 },
    { text: content.text ?? 'has completed the course', font: plain, size: 13, color: faint, gap: 16 },
    { text: content.courseTitle, font: bold, size: 20, gap: 18 },
    ...(content.score === null
      ? []
      : [{ text: `Score: ${content.score} %`, font: plain, size: 12, color: faint, gap: 4 }]),
    { text: datesOf(content), font: plain, size: 12, color: faint, gap: 0 },
  ];
  const scale = scales.find((one) => heightOf(lines, one) <= top - bottom) ?? (scales.at(-1) as number);
  writeCentered(page, top, lines, scale);
  writeCentered(page, 130, signature(content, { plain, bold }));
  writeCentered(page, 60, [{ text: content.url, font: plain, size: 9, color: faint, gap: 0 }]);
  return document.save();
}

/** The lines with the names of the signatory and the issuer. */
function signature(
  { signatory, signatoryTitle, issuer }: CertificateContent,
  { plain, bold }: Record<'plain' | 'bold', PDFFont>,
): Line[] {
  const below = [signatoryTitle, issuer].filter(Boolean).join(' · ');
  return [
    ...(signatory ? [{ text: signatory, font: bold, size: 13, gap: 2 }] : []),
    ...(below ? [{ text: below, font: plain, size: 11, color: faint, gap: 0 }] : []),
  ];
}

function datesOf({ issuedAt, expiresAt }: CertificateContent): string {
  const day = (time: Date) => time.toISOString().slice(0, 10);
  return expiresAt ? `Issued ${day(issuedAt)} · valid until ${day(expiresAt)}` : `Issued ${day(issuedAt)}`;
}

/** The height of texts that are written below each other. */
function heightOf(lines: readonly Line[], scale: number): number {
  const heights = lines.map(
    ({ text, font, size: fontSize, gap }) =>
      (broken(printable(text), font, fontSize * scale).length * fontSize * lineHeight + gap) * scale,
  );
  return heights.reduce((sum, height) => sum + height, 0);
}

/** Writes texts below each other; long ones are broken. */
function writeCentered(page: PDFPage, from: number, lines: readonly Line[], scale = 1): void {
  let y = from;
  for (const { text, font, size: full, color = dark, gap } of lines) {
    const fontSize = full * scale;
    for (const part of broken(printable(text), font, fontSize)) {
      const x = (size.width - font.widthOfTextAtSize(part, fontSize)) / 2;
      page.drawText(part, { x, y, size: fontSize, font, color });
      y -= fontSize * lineHeight;
    }
    y -= gap * scale;
  }
}

/** Breaks a text between words, and a word that is longer than a line within it. */
function broken(text: string, font: PDFFont, fontSize: number): string[] {
  const widthMax = size.width - 2 * size.margin;
  const fits = (line: string) => font.widthOfTextAtSize(line, fontSize) <= widthMax;
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line ? `${line} ${word}` : word;
    if (fits(longer)) {
      line = longer;
      continue;
    }
    if (line) lines.push(line);
    line = '';
    for (const character of word) {
      if (!fits(line + character)) {
        lines.push(line);
        line = '';
      }
      line += character;
    }
  }
  return line ? [...lines, line] : lines;
}

/** Characters that the font lacks are shown as a replacement, because the document could not be made otherwise. */
function printable(text: string): string {
  const { parsed } = fonts.plain;
  return [...text.normalize('NFC').replaceAll(/\s+/gu, ' ').trim()]
    .map((character) => (parsed.hasGlyphForCodePoint(character.codePointAt(0) as number) ? character : '\ufffd'))
    .join('');
}
