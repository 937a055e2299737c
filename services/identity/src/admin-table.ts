/** Prints a table with aligned columns. */
export function printTable(head: string[], rows: (string | number)[][]): true {
  const lines = [head, ...rows.map((row) => row.map(String))];
  const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  for (const line of lines)
    console.log(
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    );
  if (!rows.length) console.log('(none)');
  return true;
}
