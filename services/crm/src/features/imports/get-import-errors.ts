import { AsyncLocalStorage } from 'node:async_hooks';
import { Readable } from 'node:stream';
import type { imports } from '@tandem/crm-contract';
import { fail, toCsv } from '@tandem/service';
import type { Handler, Tx } from '../../handler.ts';
import type { ImportedType } from './import.ts';
import type { RowError } from './read-rows.ts';

const columns = ['row', 'column', 'field', 'value', 'reason'] as const;

export const getImportErrors =
  (entityType: ImportedType): Handler<typeof imports.getLeadImportErrors> =>
  async ({ params, tx }) => {
    const found = await tx.import.findFirst({ where: { id: params.id, entityType } });
    if (!found) throw fail('not_found');
    // The stream is read after the handler has returned, in the scope of the request.
    const inScope = AsyncLocalStorage.snapshot();
    const readErrors = (number: number) => inScope(() => errorsOf(tx, params.id, number));
    return {
      body: Readable.from(lines(readErrors)),
      type: 'text/csv; charset=utf-8',
      disposition: { kind: 'attachment', filename: 'errors.csv' },
    };
  };

async function* lines(readErrors: (number: number) => Promise<RowError[] | undefined>) {
  yield toCsv([columns]);
  for (let number = 0; ; number++) {
    const errors = await readErrors(number);
    if (!errors) return;
    if (errors.length) yield toCsv(errors.map((error) => columns.map((column) => error[column])));
  }
}

async function errorsOf(tx: Tx, importId: number, number: number): Promise<RowError[] | undefined> {
  const chunk = await tx.importChunk.findFirst({ where: { importId, number }, select: { errors: true } });
  return chunk ? (chunk.errors as unknown as RowError[]) : undefined;
}
