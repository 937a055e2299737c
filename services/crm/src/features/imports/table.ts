import { importLimits } from '@tandem/crm-contract';

/** One row of a file: its number, as spreadsheets show it, and its cells. */
export interface TableRow {
  number: number;
  cells: string[];
}

/** The rows of a file, the first of which has the names of the columns. */
export interface Table {
  format: { type: 'csv' | 'xlsx'; encoding: string | null; delimiter: string | null };
  rows: AsyncIterable<TableRow>;
}

/** The file cannot be imported; the message is for its owner. */
export class FileError extends Error {
  readonly code: string;
  constructor(message: string, code = 'unreadable_file') {
    super(message);
    this.code = code;
  }
}

/** The columns of a table, and its other rows. */
export interface Columns {
  names: string[];
  rows: AsyncIterable<TableRow>;
}

// A shared text of an XLSX file may occur in any number of cells, so the size of the file does not bound the content.
const charactersMax = 200_000_000;
const nameMax = 255;
// The rows of a sheet. Spreadsheet programs also store empty rows that have a format.
const rowsReadMax = 1_048_576;

/**
 * Reads the names of the columns, and bounds the other rows. Empty rows are left out.
 * @throws FileError when the file has no rows, or too many rows, columns or characters
 */
export async function columnsOfTable({ rows }: Table): Promise<Columns> {
  const all = counted(rows)[Symbol.asyncIterator]();
  let first = await all.next();
  while (!first.done && isEmpty(first.value)) first = await all.next();
  if (first.done) throw new FileError('The file is empty');
  const names = columnNames(first.value.cells);
  return { names, rows: boundedRows({ [Symbol.asyncIterator]: () => all }, names.length) };
}

/** Reading an empty row takes time too. */
async function* counted(rows: AsyncIterable<TableRow>): AsyncIterable<TableRow> {
  let count = 0;
  for await (const row of rows) {
    count += 1;
    if (count > rowsReadMax)
      throw new FileError(`The file has more than ${rowsReadMax} rows, with empty ones; delete these`, 'too_many_rows');
    yield row;
  }
}

async function* boundedRows(all: AsyncIterable<TableRow>, columns: number): AsyncIterable<TableRow> {
  let count = 0;
  let characters = 0;
  for await (const { number, cells } of all) {
    if (isEmpty({ number, cells })) continue;
    count += 1;
    if (count > importLimits.rows)
      throw new FileError(`The file has more than ${importLimits.rows} rows; split it`, 'too_many_rows');
    const kept = cells.slice(0, columns).map(storable);
    characters += kept.reduce((sum, cell) => sum + cell.length, 0);
    if (characters > charactersMax) throw new FileError('The file has too much text; split it', 'too_large');
    yield { number, cells: kept };
  }
}

/** One character more than the limit is kept, so that the row fails instead of losing the rest of its text. */
function storable(cell: string): string {
  const text = cell.length > importLimits.cell ? cell.slice(0, importLimits.cell + 1) : cell;
  return text.replaceAll('\0', '').toWellFormed().trim();
}

function isEmpty({ cells }: TableRow): boolean {
  return cells.every((cell) => cell.trim() === '');
}

/** The names of the columns. One without a name is named after its position, and equal names are numbered. */
function columnNames(cells: string[]): string[] {
  const used = cells.findLastIndex((cell) => cell.trim() !== '') + 1;
  if (used > importLimits.columns)
    throw new FileError(`The file has more than ${importLimits.columns} columns`, 'too_many_columns');
  const names = new Set<string>();
  for (const [index, cell] of cells.slice(0, used).entries()) {
    const base =
      storable(cell)
        .replaceAll(/\s+/g, ' ')
        .slice(0, nameMax - 6)
        .toWellFormed() || `Column ${index + 1}`;
    let name = base;
    for (let copy = 2; names.has(name); copy++) name = `${base} (${copy})`;
    names.add(name);
  }
  return [...names];
}
