import { PageDomain, PageDomainRecord } from '@tandem/campaign-contract';
import { unknownId } from '@tandem/contract';
import { fail, failField } from '@tandem/service';
import { z } from 'zod';
import type { PageDomain as DomainRow } from '../../generated/client.ts';
import type { Tools, Tx } from '../../handler.ts';
import { withChecks } from '../dns/checks.ts';
import { domainUrlOf } from './domain-url.ts';
import { neededRecords } from './records.ts';

export type PageDomainTools = Pick<Tools, 'ids' | 'publicUrl' | 'pagesHost'>;
type PageDomainRow = z.output<typeof PageDomain>;

const columns = PageDomain.pick({ status: true });
const storedChecks = z.array(PageDomainRecord.pick({ purpose: true, status: true, found: true }));

/** Converts a row to the contract's `PageDomain`. */
export function asPageDomain(tools: PageDomainTools, row: DomainRow): PageDomainRow {
  return {
    ...row,
    ...columns.parse(row),
    url: domainUrlOf(tools, row.host),
    records: withChecks(neededRecords(tools, row), storedChecks.parse(row.checks)),
  };
}

/** The content of the events of a page domain. */
export function eventOf(record: PageDomainRow) {
  const { id: pageDomainId, host, status } = record;
  return { data: { pageDomainId, host, status }, record };
}

/** Locks a domain, so that checks on it still hold when it is written. */
export async function lockPageDomain(tx: Tx, id: number): Promise<DomainRow> {
  const row = await tx.pageDomain.lockFirst({ where: { id } });
  if (!row) throw fail('not_found');
  return row;
}

/** Locks the page that becomes a home page, so that it is not deleted meanwhile; fails with 422 without it. */
export async function checkHomePage(tx: Tx, homePageId: number | null | undefined): Promise<void> {
  if (homePageId === null || homePageId === undefined) return;
  if (!(await tx.landingPage.lockFirst({ where: { id: homePageId } })))
    throw failField('homePageId', unknownId('landing_page'));
}
