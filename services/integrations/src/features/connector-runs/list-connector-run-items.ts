import { ConnectorRunItem, type connectorRuns } from '@tandem/integrations-contract';
import type { z } from 'zod';
import type { ConnectorRunItem as ItemRow } from '../../generated/client.ts';
import type { Handler } from '../../handler.ts';
import { findRun } from './run.ts';

const columns = ConnectorRunItem.pick({ direction: true, action: true });

export const listConnectorRunItems: Handler<typeof connectorRuns.listConnectorRunItems> = async ({
  params,
  query: { action },
  tx,
  list,
}) => {
  const { id: runId } = await findRun(tx, params.id, params.runId);
  const page = await list({ model: tx.connectorRunItem, where: { runId, ...(action && { action }) } });
  return { ...page, items: page.items.map(asItem) };
};

function asItem(row: ItemRow): z.output<typeof ConnectorRunItem> {
  const idOf = (kind: string) => (row.kind === kind ? row.recordId : null);
  return {
    ...row,
    ...columns.parse(row),
    leadId: idOf('lead'),
    accountId: idOf('account'),
    opportunityId: idOf('opportunity'),
    calendarEventId: idOf('calendar_event'),
  };
}
