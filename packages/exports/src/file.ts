import { Readable } from 'node:stream';
import { type Cell, toCsv } from '@tandem/service';
import { toXlsx, xlsxType } from './xlsx.ts';

export type ExportFormat = 'csv' | 'xlsx' | 'json' | 'ndjson';

/**
 * The file of an export, made page by page while it is downloaded.
 * @param file.read reads the rows of a page; undefined after the last one
 */
export function fileOf(file: {
  format: ExportFormat;
  columns: readonly string[];
  read: (number: number) => Promise<unknown[][] | undefined>;
}): { body: Readable; type: string } {
  const { format, columns, read } = file;
  const pages = allPages(read);
  switch (format) {
    case 'csv':
      return { body: Readable.from(csvOf(columns, pages)), type: 'text/csv; charset=utf-8' };
    case 'xlsx':
      return { body: toXlsx(tableOf(columns, pages)), type: xlsxType };
    case 'json':
      return { body: Readable.from(jsonOf(columns, pages)), type: 'application/json; charset=utf-8' };
    case 'ndjson':
      return { body: Readable.from(linesOf(columns, pages)), type: 'application/x-ndjson; charset=utf-8' };
  }
}

type Pages = AsyncIterable<unknown[][]>;

async function* allPages(read: (number: number) => Promise<unknown[][] | undefined>): Pages {
  for (let number = 0; ; number++) {
    const rows = await read(number);
    if (!rows) return;
    // A page is empty when an erasure removed its rows, or when no record of the part that it stands for matched.
    if (rows.length) yield rows;
  }
}

async function* tableOf(columns: readonly string[], pages: Pages): AsyncIterable<Cell[][]> {
  yield [[...columns]];
  for await (const rows of pages) yield rows as Cell[][];
}

async function* csvOf(columns: readonly string[], pages: Pages) {
  for await (const rows of tableOf(columns, pages)) yield toCsv(rows);
}

async function* linesOf(columns: readonly string[], pages: Pages) {
  for await (const rows of pages) yield `${rows.map((row) => jsonOfRow(columns, row)).join('\n')}\n`;
}

async function* jsonOf(columns: readonly string[], pages: Pages) {
  let before = '[\n';
  for await (const rows of pages) {
    yield before + rows.map((row) => jsonOfRow(columns, row)).join(',\n');
    before = ',\n';
  }
  yield before === '[\n' ? '[]\n' : '\n]\n';
}

/** By `fromEntries`, so that a column `__proto__` is an ordinary property. */
function jsonOfRow(columns: readonly string[], row: readonly unknown[]): string {
  return JSON.stringify(Object.fromEntries(columns.map((column, index) => [column, row[index]])));
}
