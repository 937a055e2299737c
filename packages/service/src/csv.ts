export type Cell = string | number | null;

// Prefixes that spreadsheets interpret as a formula.
const formula = /^[=+\-@\t\r\n\0]/;
const needsQuotes = /[",\r\n]/;

/** Formats rows as CSV (RFC 4180). Text that a spreadsheet would run as a formula is prefixed with a quote. */
export function toCsv(rows: readonly (readonly Cell[])[]): string {
  return rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}

function cell(value: Cell): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const safe = formula.test(value) ? `'${value}` : value;
  return needsQuotes.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
