import { StringDecoder } from 'node:string_decoder';
import { promisify } from 'node:util';
import { importLimits } from '@tandem/crm-contract';
import sax from 'sax';
import yauzl from 'yauzl';
import { FileError, type Table, type TableRow } from './table.ts';

// A small archive can contain files that are a thousand times as large.
const sheetBytesMax = 600_000_000;
const sharedBytesMax = 60_000_000;
const partBytesMax = 10_000_000;
const entriesMax = 5_000;
// Valid files have far less of each.
const depthMax = 64;
const attributesMax = 64;
const sheetRowsMax = 1_048_576;
const sharedTextsMax = 2_000_000;
const stylesMax = 65_536;
const formatCodeMax = 255;

interface Archive {
  has(name: string): boolean;
  /** Reads a part of the archive, which fails unless its uncompressed size is within the limit. */
  open(name: string, bytesMax?: number): Promise<AsyncIterable<string>>;
  close(): void;
}

/** Reads the first sheet of an XLSX file. A formula cell has the result that the spreadsheet program stored. */
export async function readXlsx(path: string): Promise<Table> {
  const archive = await openArchive(path);
  try {
    const { sheet, is1904 } = await firstSheet(archive);
    const shared = await readSharedTexts(archive);
    const dateStyles = await readDateStyles(archive);
    const rows = readRows(archive, { sheet, shared, dateStyles, is1904 });
    return { format: { type: 'xlsx', encoding: null, delimiter: null }, rows };
  } catch (error) {
    archive.close();
    throw error;
  }
}

async function openArchive(path: string): Promise<Archive> {
  const zip = await promisify<string, yauzl.Options, yauzl.ZipFile>(yauzl.open)(path, {
    lazyEntries: true,
    autoClose: false,
    validateEntrySizes: true,
  }).catch(() => {
    throw new FileError('The file is not a valid XLSX file');
  });
  const entries = await new Promise<Map<string, yauzl.Entry>>((resolve, reject) => {
    const found = new Map<string, yauzl.Entry>();
    zip.on('entry', (entry: yauzl.Entry) => {
      found.set(entry.fileName, entry);
      if (found.size > entriesMax) reject(new FileError('The file is not a valid XLSX file'));
      else zip.readEntry();
    });
    zip.on('end', () => resolve(found));
    zip.on('error', () => reject(new FileError('The file is not a valid XLSX file')));
    zip.readEntry();
  });
  return {
    has: (name) => entries.has(name),
    close: () => zip.close(),
    async open(name, bytesMax = partBytesMax) {
      const entry = entries.get(name);
      if (!entry) throw new FileError('The file is not a valid XLSX file');
      // Reading fails at the first byte more than the entry declares.
      if (entry.uncompressedSize > bytesMax)
        throw new FileError('The file is too large when it is unpacked; split it', 'too_large');
      return texts(await promisify(zip.openReadStream.bind(zip) as never as OpenStream)(entry));
    },
  };
}

type OpenStream = (entry: yauzl.Entry, done: (error: Error | null, stream: NodeJS.ReadableStream) => void) => void;

async function* texts(stream: NodeJS.ReadableStream): AsyncIterable<string> {
  const decoder = new StringDecoder('utf8');
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) yield decoder.write(chunk);
    yield decoder.end();
  } catch {
    throw new FileError('The file is not a valid XLSX file');
  }
}

interface Handlers {
  open?(name: string, attributes: Record<string, string>): void;
  text?(text: string): void;
  close?(name: string): void;
}

/**
 * Parses XML, and yields after each part of the text, so that its records can be processed meanwhile. The parser keeps open
 * tags and the attributes of a tag in memory, so both are limited; its own limits for names and values depend on `position`.
 */
async function* parsed(xml: AsyncIterable<string>, { open, text, close }: Handlers): AsyncIterable<void> {
  const parser = sax.parser(true, { position: true });
  const local = (name: string) => name.slice(name.indexOf(':') + 1);
  let depth = 0;
  let attributesOfTag = 0;
  parser.onopentagstart = () => {
    depth += 1;
    attributesOfTag = 0;
    if (depth > depthMax) throw new FileError('The file is not a valid XLSX file: its elements are nested too deeply');
  };
  parser.onattribute = () => {
    attributesOfTag += 1;
    if (attributesOfTag > attributesMax)
      throw new FileError('The file is not a valid XLSX file: an element has too many attributes');
  };
  parser.onopentag = ({ name, attributes }) => open?.(local(name), attributes as Record<string, string>);
  parser.ontext = (value) => text?.(value);
  parser.oncdata = (value) => text?.(value);
  parser.onclosetag = (name) => {
    depth -= 1;
    close?.(local(name));
  };
  parser.onerror = () => {
    throw new FileError('The file is not a valid XLSX file');
  };
  for await (const part of xml) {
    parser.write(part);
    yield;
  }
  parser.close();
}

async function parseAll(xml: AsyncIterable<string>, handlers: Handlers): Promise<void> {
  for await (const _ of parsed(xml, handlers));
}

/** The path of the first sheet, and whether days are counted from 1904, as older files from Macs do. */
async function firstSheet(archive: Archive): Promise<{ sheet: string; is1904: boolean }> {
  let relation: string | undefined;
  let is1904 = false;
  await parseAll(await archive.open('xl/workbook.xml'), {
    open(name, attributes) {
      if (name === 'workbookPr') is1904 = ['1', 'true'].includes(attributes['date1904'] ?? '');
      if (name === 'sheet')
        relation ??= attributes['r:id'] ?? Object.entries(attributes).find(([key]) => key.endsWith(':id'))?.[1];
    },
  });
  let target: string | undefined;
  await parseAll(await archive.open('xl/_rels/workbook.xml.rels'), {
    open(name, attributes) {
      if (name === 'Relationship' && attributes['Id'] === relation) target = attributes['Target'];
    },
  });
  if (!relation || !target) throw new FileError('The file has no sheet');
  return { sheet: target.startsWith('/') ? target.slice(1) : `xl/${target}`, is1904 };
}

async function readSharedTexts(archive: Archive): Promise<string[]> {
  const name = 'xl/sharedStrings.xml';
  if (!archive.has(name)) return [];
  const shared: string[] = [];
  let current: string | undefined;
  let isText = false;
  let phonetic = 0;
  await parseAll(await archive.open(name, sharedBytesMax), {
    open(tag) {
      if (tag === 'si') current = '';
      if (tag === 'rPh') phonetic += 1;
      isText = tag === 't';
    },
    text(value) {
      if (!isText || phonetic || current === undefined) return;
      current = append(current, value);
    },
    close(tag) {
      isText = false;
      if (tag === 'rPh') phonetic -= 1;
      if (tag !== 'si') return;
      shared.push(current ?? '');
      if (shared.length > sharedTextsMax) throw new FileError('The file has too much text; split it', 'too_large');
      current = undefined;
    },
  });
  return shared;
}

/** Joins the parts of a text, up to the limit of a cell: one character more makes its row fail. */
function append(text: string, part: string): string {
  return text.length > importLimits.cell ? text : (text + part).slice(0, importLimits.cell + 1);
}

// Formats of dates and times that every file has without defining them.
const builtInDates = (format: number) => (format >= 14 && format <= 22) || (format >= 45 && format <= 47);

/** The styles of cells whose number is a date. */
async function readDateStyles(archive: Archive): Promise<Set<string>> {
  const name = 'xl/styles.xml';
  const dates = new Set<string>();
  if (!archive.has(name)) return dates;
  const custom = new Set<number>();
  let isOfCells = false;
  let style = 0;
  await parseAll(await archive.open(name), {
    open(tag, attributes) {
      if (tag === 'numFmt') {
        const code = (attributes['formatCode'] ?? '').slice(0, formatCodeMax).replaceAll(/"[^"]*"|\\.|\[[^\]]*\]/g, '');
        if (/[ymdhs]/i.test(code)) custom.add(Number(attributes['numFmtId']));
      }
      if (tag === 'cellXfs') isOfCells = true;
      if (tag !== 'xf' || !isOfCells) return;
      const format = Number(attributes['numFmtId'] ?? 0);
      if (builtInDates(format) || custom.has(format)) dates.add(String(style));
      style += 1;
      if (style > stylesMax) throw new FileError('The file has too many styles', 'too_large');
    },
    close(tag) {
      if (tag === 'cellXfs') isOfCells = false;
    },
  });
  return dates;
}

interface Sheet {
  sheet: string;
  shared: string[];
  dateStyles: Set<string>;
  is1904: boolean;
}

async function* readRows(archive: Archive, sheet: Sheet): AsyncIterable<TableRow> {
  const done: TableRow[] = [];
  let row: TableRow = { number: 0, cells: [] };
  let cell = { column: -1, type: 'n', style: '0', value: '' };
  let isValue = false;
  try {
    const parsing = parsed(await archive.open(sheet.sheet, sheetBytesMax), {
      open(tag, attributes) {
        if (tag === 'row') {
          row = { number: numberOf(attributes['r']) ?? row.number + 1, cells: [] };
          cell = { ...cell, column: -1 };
        }
        if (tag === 'c') {
          const column = attributes['r'] ? columnOf(attributes['r']) : cell.column + 1;
          cell = { column, type: attributes['t'] ?? 'n', style: attributes['s'] ?? '0', value: '' };
        }
        isValue = tag === 'v' || tag === 't';
      },
      text(value) {
        if (isValue) cell.value = append(cell.value, value);
      },
      close(tag) {
        isValue = false;
        if (tag === 'c') putCell(row.cells, cell.column, textOf(cell, sheet));
        if (tag === 'row') done.push(row);
      },
    });
    for await (const _ of parsing) yield* done.splice(0);
  } finally {
    archive.close();
  }
}

/** Texts right of the last possible column are kept in one more column, which makes a row with names fail. */
function putCell(cells: string[], column: number, text: string): void {
  if (text === '') return;
  const index = Math.min(column, importLimits.columns);
  while (cells.length < index) cells.push('');
  cells[index] = text;
}

/** The number of a row; undefined if the file has none, or one that no sheet can have. */
function numberOf(attribute: string | undefined): number | undefined {
  const number = Number(attribute);
  return Number.isInteger(number) && number > 0 && number <= sheetRowsMax ? number : undefined;
}

/** `AB12` is the 28th column, with the index 27. */
function columnOf(reference: string): number {
  let column = 0;
  for (const letter of /^[A-Z]{1,3}/.exec(reference)?.[0] ?? 'A') column = column * 26 + letter.charCodeAt(0) - 64;
  return column - 1;
}

function textOf(cell: { type: string; style: string; value: string }, { shared, dateStyles, is1904 }: Sheet): string {
  const { type, style, value } = cell;
  if (type === 's') return shared[Number(value)] ?? '';
  if (type === 'b') return value === '1' ? 'true' : 'false';
  if (type !== 'n' || value === '') return value;
  const number = Number(value);
  if (!Number.isFinite(number)) return value;
  return dateStyles.has(style) ? dateText(number + (is1904 ? 1_462 : 0)) : String(number);
}

const dayMs = 86_400_000;
// Day 0 of spreadsheets, which count 1900 as a leap year.
const dayZero = Date.UTC(1899, 11, 30);

/** A date without a time as `2026-03-02`, another one with its time. */
function dateText(days: number): string {
  const time = new Date(dayZero + Math.round(days * 86_400) * 1_000);
  if (Number.isNaN(time.getTime())) return String(days);
  return (time.getTime() - dayZero) % dayMs === 0 ? time.toISOString().slice(0, 10) : time.toISOString();
}
