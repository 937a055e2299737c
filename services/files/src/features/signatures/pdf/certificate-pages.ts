import { type PDFDocument, type PDFPage, rgb } from '@cantoo/pdf-lib';
import { type Fonts, runsOf, type Style, widthOf } from './fonts.ts';

/** A part of the certificate: a heading with facts, or with lines of text. */
export interface CertificateSection {
  heading: string;
  facts?: { label: string; value: string }[];
  lines?: string[];
}

export interface Certificate {
  /** Printed before everything else, such as that nobody has signed. */
  warning: string | null;
  title: string;
  subtitle: string | null;
  sections: CertificateSection[];
  footer: string;
}

const page = { width: 595.28, height: 841.89, margin: 48 };
const labelWidth = 130;
const dark = rgb(0.12, 0.14, 0.19);
const faint = rgb(0.4, 0.43, 0.5);
const line = rgb(0.85, 0.87, 0.9);
const alarming = rgb(0.71, 0.14, 0.09);

/** Appends the pages that prove who signed when. */
export function appendCertificate(document: PDFDocument, fonts: Fonts, certificate: Certificate): void {
  const writer = new Writer(document, fonts, certificate.footer);
  if (certificate.warning) writer.text(certificate.warning, { style: fonts.bold, size: 14, color: alarming, gap: 10 });
  writer.text(certificate.title, { style: fonts.bold, size: 20, gap: 6 });
  if (certificate.subtitle) writer.text(certificate.subtitle, { size: 10, color: faint, gap: 10 });
  for (const { heading, facts = [], lines = [] } of certificate.sections) {
    writer.heading(heading);
    for (const { label, value } of facts) writer.fact(label, value);
    for (const text of lines) writer.text(text, { size: 8, gap: 3 });
  }
}

interface TextOptions {
  style?: Style;
  size: number;
  color?: ReturnType<typeof rgb>;
  gap: number;
  x?: number;
}

class Writer {
  readonly #document: PDFDocument;
  readonly #fonts: Fonts;
  readonly #footer: string;
  #page: PDFPage;
  #y: number;

  constructor(document: PDFDocument, fonts: Fonts, footer: string) {
    this.#document = document;
    this.#fonts = fonts;
    this.#footer = footer;
    this.#page = this.#newPage();
    this.#y = page.height - page.margin;
  }

  heading(text: string): void {
    this.#room(60);
    this.#y -= 8;
    const { margin, width } = page;
    this.#page.drawLine({ start: { x: margin, y: this.#y }, end: { x: width - margin, y: this.#y }, color: line });
    this.#y -= 6;
    this.text(text, { style: this.#fonts.bold, size: 11, gap: 4 });
  }

  fact(label: string, value: string): void {
    this.#room(14);
    const top = this.#y;
    this.text(label, { size: 8.5, color: faint, gap: 3 });
    this.#y = top;
    this.text(value, { size: 8.5, gap: 3, x: page.margin + labelWidth });
  }

  text(text: string, { style = this.#fonts.plain, size, color = dark, gap, x = page.margin }: TextOptions): void {
    for (const wrapped of wrap(text, style, size, page.width - page.margin - x)) {
      this.#room(size * 1.4);
      this.#y -= size * 1.35;
      let at = x;
      for (const { font, text: part } of runsOf(wrapped, style)) {
        this.#page.drawText(part, { x: at, y: this.#y, size, font, color });
        at += font.widthOfTextAtSize(part, size);
      }
    }
    this.#y -= gap;
  }

  #room(height: number): void {
    if (this.#y - height > page.margin) return;
    this.#page = this.#newPage();
    this.#y = page.height - page.margin;
  }

  #newPage(): PDFPage {
    const added = this.#document.addPage([page.width, page.height]);
    let x = page.margin;
    for (const { font, text } of runsOf(this.#footer, this.#fonts.plain)) {
      added.drawText(text, { x, y: 26, size: 7, font, color: faint });
      x += font.widthOfTextAtSize(text, 7);
    }
    return added;
  }
}

/** Breaks a text into lines; a word that is longer than a line is divided. */
function wrap(text: string, style: Style, size: number, width: number): string[] {
  const fits = (part: string) => widthOf(runsOf(part, style), size) <= width;
  const lines: string[] = [];
  let current = '';
  for (const word of text.split(/\s+/u).filter(Boolean)) {
    const longer = current ? `${current} ${word}` : word;
    if (fits(longer)) {
      current = longer;
      continue;
    }
    if (current) lines.push(current);
    current = word;
    while (!fits(current)) {
      let length = current.length - 1;
      while (length > 1 && !fits(current.slice(0, length))) length = Math.floor(length * 0.9);
      lines.push(current.slice(0, length));
      current = current.slice(length);
    }
  }
  if (current || !lines.length) lines.push(current);
  return lines;
}
