import { dataExportLimits, type ExportSource, engagement } from '@tandem/analytics-contract';
import type { Caller } from '@tandem/caller';
import type { ServiceClient } from '@tandem/client/internal';
import { neededPermissions, type Operation, pageItem, type recordPages } from '@tandem/contract';
import { accounts, leads, opportunities, tasks } from '@tandem/crm-contract';
import type { Exported, Requester } from '@tandem/exports';
import { auditLogs } from '@tandem/identity-contract';
import { commissions, partners } from '@tandem/partner-contract';
import { asService, type Reach, reachOf, readRecordPage } from '@tandem/service';
import type { z } from 'zod';
import type { Peers, Tx } from '../../handler.ts';
import { listRecordedEvents } from '../events/list-recorded-events.ts';
import { reportSource } from '../reports/report-source.ts';
import { withCohort } from './cohort-source.ts';

type Records = z.output<typeof recordPages.readRecordPage.reply>;
type Page = Omit<z.output<typeof recordPages.readRecordPage.body>, 'list'>;
type Scope = Pick<Caller, 'tenantId' | 'environment'>;

/** In whose name records are read. */
export interface Reading extends Requester {
  scope: Scope;
  tx: Tx;
}

/** Where the records of an export come from. */
export interface Source extends Exported {
  /** The list whose records the export has, and whose filters and permissions it takes. */
  list: Operation;
  rowsMax: number;
  /** Only those who requested an export see it. */
  isOwn?: true;
  /** Whether its filters can have a saved cohort. */
  hasCohort?: true;
  /** Filters that requests in the sandbox always have. */
  inSandbox?: Readonly<Record<string, unknown>>;
  /** Reads the records after an id, in the order of ids. */
  read(page: Page, reading: Reading): Promise<Records>;
}

export type Sources = Readonly<Record<ExportSource, Source>>;

/** The sources of exports. A new one is a line here and a value of `exportSources`. */
export function sourcesOf({ crm, identity, partner }: Peers): Sources {
  return {
    events: withCohort(events, 'leadId'),
    leads: withCohort(listOf(crm, leads.listLeads), 'id'),
    accounts: listOf(crm, accounts.listAccounts),
    opportunities: listOf(crm, opportunities.listOpportunities),
    tasks: listOf(crm, tasks.listTasks),
    partners: listOf(partner, partners.listPartners),
    commissions: listOf(partner, commissions.listCommissions),
    // Everybody in the sandbox can read its exports, sandbox keys too, so they have no live entries.
    audit: { ...listOf(identity, auditLogs.listAuditLogs), inSandbox: { environment: 'sandbox' } },
    report: reportSource,
  };
}

const events: Source = {
  ...records(engagement.listRecordedEvents),
  rowsMax: dataExportLimits.events,
  read: (page, { tx, actor, scope }) =>
    readRecordPage({ row: engagement.listRecordedEvents, handler: listRecordedEvents }, page, {
      tx,
      caller: { ...actor, ...scope, permissions: [] },
    }),
};

function records(list: Operation) {
  return { list, record: pageItem(list.reply) as z.ZodObject, rowsMax: dataExportLimits.rows };
}

/** A list of another service. */
function listOf(owner: ServiceClient<typeof recordPages>, list: Operation): Source {
  return {
    ...records(list),
    read: (page, { actor, narrow, scope }) =>
      owner.readRecordPage({
        body: { ...page, list: list.id },
        as: asService({ ...actor, ...scope, permissions: [] }, narrow ?? 'all'),
      }),
  };
}

/** How far a caller can read the records of a source. */
export function reachOfSource(caller: Caller, { list }: Source): Reach {
  if (neededPermissions(list).some((permission) => reachOf(caller, permission) === 'none')) return 'none';
  const reach = reachOf(caller, list.permission as string);
  return reach === 'all' || list.narrows ? reach : 'none';
}
