import type { connectorRuns } from '@tandem/integrations-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { asRun, withConfig } from './run.ts';

export const listConnectorRuns: Handler<typeof connectorRuns.listConnectorRuns> = async ({
  params,
  query,
  tx,
  list,
}) => {
  const config = await tx.connectorConfig.findFirst({ where: { id: params.id }, select: withConfig.config.select });
  if (!config) throw fail('not_found');
  const { status, trigger } = query;
  const page = await list({
    model: tx.connectorRun,
    where: { configId: params.id, ...(status && { status }), ...(trigger && { trigger }) },
  });
  return { ...page, items: page.items.map((row) => asRun({ ...row, config })) };
};
