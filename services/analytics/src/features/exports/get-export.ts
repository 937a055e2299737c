import type { dataExports } from '@tandem/analytics-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { asExport, type LinkTo, visibleTo } from './export.ts';
import type { Sources } from './source.ts';

export const getExport =
  ({ sources, linkTo }: { sources: Sources; linkTo: LinkTo }): Handler<typeof dataExports.getExport> =>
  async ({ params: { id }, caller, tx }) => {
    const row = await tx.export.findFirst({ where: { id, ...visibleTo(caller, sources) } });
    if (!row) throw fail('not_found');
    return asExport(row, { caller, linkTo });
  };
