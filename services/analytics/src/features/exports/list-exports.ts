import type { dataExports } from '@tandem/analytics-contract';
import type { Handler } from '../../handler.ts';
import { asExport, type LinkTo, visibleTo } from './export.ts';
import type { Sources } from './source.ts';

export const listExports =
  ({ sources, linkTo }: { sources: Sources; linkTo: LinkTo }): Handler<typeof dataExports.listExports> =>
  async ({ query: { status, source }, caller, tx, list }) => {
    const page = await list({
      model: tx.export,
      where: { ...(status && { status }), ...(source && { source }) },
      and: [visibleTo(caller, sources)],
    });
    return { ...page, items: page.items.map((row) => asExport(row, { caller, linkTo })) };
  };
