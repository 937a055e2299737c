import type { Line, PageText } from './document.ts';

/** A table on a page: rows of cells, all with the same number of columns. */
export interface Table {
  page: number;
  rows: string[][];
}

// A table has two columns and two rows at least; a single pair of texts on a line is often a label with its value.
const columnsMin = 2;
const rowsMin = 2;
// Columns that begin or end within this part of the page's width of each other are the same.
const sameColumn = 0.02;

/** Finds the tables of a page: consecutive lines whose parts begin or end at the same places. */
export function tablesOf({ number, width, lines }: PageText): Table[] {
  const tables: Table[] = [];
  let rows: Line[] = [];
  const finish = () => {
    if (rows.length >= rowsMin) tables.push({ page: number, rows: cellsOf(rows, width * sameColumn) });
    rows = [];
  };
  for (const line of lines) {
    const first = rows[0];
    const fits = first === undefined || isAligned(first, line, width * sameColumn);
    if (line.segments.length < columnsMin || !fits) finish();
    if (line.segments.length >= columnsMin) rows.push(line);
  }
  finish();
  return tables;
}

/** Whether two lines have a column in common besides the first one, which all text of a page shares. */
function isAligned(a: Line, b: Line, tolerance: number): boolean {
  return b.segments
    .slice(1)
    .some(({ box }) =>
      a.segments
        .slice(1)
        .some((other) => [0, 2].some((edge) => Math.abs(box[edge as 0] - other.box[edge as 0]) <= tolerance)),
    );
}

/** Puts the parts of each row under the columns of the row that has the most. */
function cellsOf(rows: Line[], tolerance: number): string[][] {
  const widest = rows.reduce((a, b) => (b.segments.length > a.segments.length ? b : a));
  return rows.map(({ segments }) => {
    const cells = widest.segments.map(() => '');
    for (const { text, box } of segments) {
      const distances = widest.segments.map(({ box: other }) =>
        Math.min(Math.abs(box[0] - other[0]), Math.abs(box[2] - other[2])),
      );
      const exact = distances.findIndex((distance) => distance <= tolerance);
      const column = exact === -1 ? distances.indexOf(Math.min(...distances)) : exact;
      cells[column] = cells[column] ? `${cells[column]} ${text}` : text;
    }
    return cells;
  });
}
