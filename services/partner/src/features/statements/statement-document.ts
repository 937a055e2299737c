import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { PDFDocument, type PDFFont, type PDFPage, rgb } from '@cantoo/pdf-lib';
import * as fontkit from 'fontkit';

/** What the document of a statement shows. Amounts are texts with their decimals. */
export interface StatementContent {
  partner: string;
  company: string | null;
  period: string;
  currency: string;
  status: string;
  /** The lines of the summary: opening balance, earned, …, closing balance. */
  sums: readonly { label: string; amount: string }[];
  entries: readonly { date: string; entry: string; commission: string; amount: string }[];
  /** Whether the statement has more entries than the document. */
  isShortened: boolean;
  generatedAt: Date;
}

const require = createRequire(import.meta.url);
// They ship with the service, so that a name in Latin, Greek or Cyrillic letters looks the same on every machine.
const files = {
  plain: '@expo-google-fonts/noto-sans/400Regular/NotoSans_400Regular.ttf',
  bold: '@expo-google-fonts/noto-sans/700Bold/NotoSans_700Bold.ttf',
};
type Fonts = Record<keyof typeof files, PDFFont>;
let loaded: Record<keyof typeof files, { bytes: Uint8Array; parsed: fontkit.Font }> | undefined;

/** Reads the fonts with the first document, because most processes make none. */
function readFonts() {
  const read = (path: string) => {
    const bytes = new Uint8Array(readFileSync(require.resolve(path)));
    return { bytes, parsed: fontkit.create(bytes as never) as fontkit.Font };
  };
  loaded ??= { plain: read(files.plain), bold: read(files.bold) };
  return loaded;
}

// A4.
const size = { width: 595.28, height: 841.89, margin: 56 };
const dark = rgb(0.12, 0.14, 0.19);
const faint = rgb(0.4, 0.43, 0.5);
const right = size.width - size.margin;
// The left edges of date, entry and commission; amounts end at the right margin.
const columns = { date: size.margin, entry: 180, commission: 290 };
const lineHeight = 15;

/** Renders a statement as a PDF document. */
export async function statementDocument(content: StatementContent): Promise<Uint8Array> {
  const document = await PDFDocument.create();
  document.registerFontkit(fontkit as never);
  const source = readFonts();
  // Ligatures are off: the subset would lack the glyphs of their parts.
  const embed = (name: keyof Fonts) =>
    document.embedFont(source[name].bytes, { subset: true, features: { liga: false, clig: false } });
  const fonts: Fonts = { plain: await embed('plain'), bold: await embed('bold') };
  document.setTitle(`Statement ${content.period}, ${content.currency}: ${content.partner}`);
  document.setLanguage('en');
  const writer = createWriter(document, fonts);
  writeHead(writer, content);
  for (const { label, amount } of content.sums) {
    const font = label === 'Closing balance' ? 'bold' : 'plain';
    writer.line([{ text: label, x: size.margin, font }], { text: `${amount} ${content.currency}`, font });
  }
  writer.gap(18);
  writer.line(
    [
      { text: 'Date', x: columns.date, font: 'bold' },
      { text: 'Entry', x: columns.entry, font: 'bold' },
      { text: 'Commission', x: columns.commission, font: 'bold' },
    ],
    { text: 'Amount', font: 'bold' },
  );
  for (const { date, entry, commission, amount } of content.entries)
    writer.line(
      [
        { text: date, x: columns.date },
        { text: entry, x: columns.entry },
        { text: commission, x: columns.commission },
      ],
      { text: amount },
    );
  if (content.isShortened) writer.line([{ text: 'The CSV file of the statement has all entries.', x: size.margin }]);
  return document.save();
}

function writeHead(
  writer: Writer,
  { partner, company, period, currency, status, generatedAt }: StatementContent,
): void {
  writer.line([{ text: `Commission statement ${period}`, x: size.margin, font: 'bold', size: 18 }]);
  writer.gap(14);
  writer.line([{ text: [partner, company].filter(Boolean).join(', '), x: size.margin, size: 12 }]);
  const made = `${currency} · ${status} · made on ${generatedAt.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  writer.line([{ text: made, x: size.margin, color: faint }]);
  writer.gap(18);
}

interface Text {
  text: string;
  x: number;
  font?: keyof Fonts;
  size?: number;
  color?: ReturnType<typeof rgb>;
}

interface Writer {
  /** Writes texts on one line, and one that ends at the right margin. */
  line(texts: readonly Text[], atRight?: Omit<Text, 'x'>): void;
  gap(height: number): void;
}

/** Writes lines from the top, and begins a page when one is full. */
function createWriter(document: PDFDocument, fonts: Fonts): Writer {
  let page: PDFPage = document.addPage([size.width, size.height]);
  let y = size.height - size.margin;
  const write = ({ text, x, font = 'plain', size: fontSize = 10, color = dark }: Text) =>
    page.drawText(printable(text), { x, y, size: fontSize, font: fonts[font], color });
  return {
    line(texts, atRight) {
      if (y < size.margin) {
        page = document.addPage([size.width, size.height]);
        y = size.height - size.margin;
      }
      for (const one of texts) write(one);
      if (atRight) {
        const { font = 'plain', size: fontSize = 10 } = atRight;
        write({ ...atRight, x: right - fonts[font].widthOfTextAtSize(printable(atRight.text), fontSize) });
      }
      y -= lineHeight;
    },
    gap: (height) => {
      y -= height;
    },
  };
}

/** Characters that the font lacks are shown as a replacement, because the document could not be made otherwise. */
function printable(text: string): string {
  const { parsed } = readFonts().plain;
  return [...text.normalize('NFC').replaceAll(/\s+/gu, ' ').trim()]
    .map((character) => (parsed.hasGlyphForCodePoint(character.codePointAt(0) as number) ? character : '\ufffd'))
    .join('');
}
