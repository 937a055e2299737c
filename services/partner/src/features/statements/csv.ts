type Cell = string | number | null;

// What spreadsheets would run as a formula.
const formula = /^[=+\-@\t\r]/;
const needsQuotes = /[",\r\n]/;

/** A table as CSV (RFC 4180). A text that a spreadsheet would take for a formula gets a quote in front; numbers stay numbers. */
export function toCsv(rows: readonly (readonly Cell[])[]): string {
  return rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}

function cell(value: Cell): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const safe = formula.test(value) ? `'${value}` : value;
  return needsQuotes.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
