import { PassThrough, Readable } from 'node:stream';
import type { Cell } from '@tandem/service';
import yazl from 'yazl';

/** The media type of an XLSX file. */
export const xlsxType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

const head = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const packaged = 'http://schemas.openxmlformats.org/package/2006';
// The longest text of a cell that spreadsheet programs accept.
const textMax = 32_767;

const parts: Record<string, string> = {
  '[Content_Types].xml': `<Types xmlns="${packaged}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${xlsxType}.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>`,
  '_rels/.rels': `<Relationships xmlns="${packaged}/relationships"><Relationship Id="rId1" Type="${relations}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  'xl/workbook.xml': `<workbook xmlns="${main}" xmlns:r="${relations}"><sheets><sheet name="Export" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${packaged}/relationships"><Relationship Id="rId1" Type="${relations}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
};

/**
 * Writes rows as an XLSX file with one sheet, page by page. Text is stored as text, so that no program runs it as a
 * formula.
 */
export function toXlsx(pages: AsyncIterable<readonly (readonly Cell[])[]>): Readable {
  const zip = new yazl.ZipFile();
  // The content types come first, by which programs recognize the file.
  for (const [name, xml] of Object.entries(parts)) zip.addBuffer(Buffer.from(head + xml), name);
  const sheet = Readable.from(sheetXml(pages));
  const output = new PassThrough();
  sheet.on('error', (error) => output.destroy(error));
  output.on('close', () => sheet.destroy());
  zip.addReadStream(sheet, 'xl/worksheets/sheet1.xml');
  zip.end();
  zip.outputStream.pipe(output);
  return output;
}

async function* sheetXml(pages: AsyncIterable<readonly (readonly Cell[])[]>) {
  yield `${head}<worksheet xmlns="${main}"><sheetData>`;
  for await (const rows of pages) yield rows.map((row) => `<row>${row.map(cellXml).join('')}</row>`).join('');
  yield '</sheetData></worksheet>';
}

function cellXml(value: Cell): string {
  if (value === null) return '<c/>';
  if (typeof value === 'number') return `<c><v>${value}</v></c>`;
  return `<c t="inlineStr"><is><t xml:space="preserve">${escaped(value.slice(0, textMax))}</t></is></c>`;
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Escapes text, and removes the characters that XML cannot contain. */
function escaped(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that XML does not allow.
  const allowed = text.toWellFormed().replaceAll(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, '');
  return allowed.replaceAll(/[&<>]/g, (sign) => entities[sign] as string);
}
