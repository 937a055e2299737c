import { dataExportLimits, type ExportFormat } from '@tandem/analytics-contract';
import type { z } from 'zod';
import type { Source } from './source.ts';

/** The most rows of a file, and what the error of an export with more says. */
export function rowLimitOf(
  { rowsMax }: Pick<Source, 'rowsMax'>,
  format: z.output<typeof ExportFormat>,
): { rowsMax: number; message: string } {
  const { xlsxRows } = dataExportLimits;
  if (format !== 'xlsx' || rowsMax <= xlsxRows)
    return { rowsMax, message: `More than ${rowsMax} records match; add filters` };
  const message = `More than ${xlsxRows} records match, the most that an XLSX file can have; add filters, or choose another \`format\``;
  return { rowsMax: xlsxRows, message };
}
