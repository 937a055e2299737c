import { dataExportLimits, engagement } from '@tandem/analytics-contract';
import { campaigns, messages } from '@tandem/campaign-contract';
import type { ServiceClient } from '@tandem/client/internal';
import { type Operation, pageItem, type recordPages } from '@tandem/contract';
import { accounts, leads, opportunities, tasks } from '@tandem/crm-contract';
import { auditLogs } from '@tandem/identity-contract';
import { commissions, dealRegistrations, partners, payouts, referrals } from '@tandem/partner-contract';
import { asService, readRecordPage } from '@tandem/service';
import { certificates, courses, enrollments } from '@tandem/training-contract';
import type { z } from 'zod';
import type { Peers } from '../../handler.ts';
import { listRecordedEvents } from '../events/list-recorded-events.ts';
import { withCohort } from './cohort-source.ts';
import type { Source, Sources } from './source.ts';

/**
 * The sources of exports. A new one is a line here and a value of `exportSources`. The records must name the lead that they are
 * about, because the erasure of a person looks for its id and addresses in files. Attempts of training do not.
 */
export function sourcesOf({ crm, identity, partner, campaign, training }: Peers, report: Source): Sources {
  return {
    events: withCohort(events, 'leadId'),
    leads: withCohort(listOf(crm, leads.listLeads), 'id'),
    accounts: listOf(crm, accounts.listAccounts),
    opportunities: listOf(crm, opportunities.listOpportunities),
    tasks: listOf(crm, tasks.listTasks),
    partners: listOf(partner, partners.listPartners),
    referrals: withCohort(listOf(partner, referrals.listReferrals), 'leadId'),
    deal_registrations: listOf(partner, dealRegistrations.listDealRegistrations),
    commissions: listOf(partner, commissions.listCommissions),
    payouts: listOf(partner, payouts.listPayouts),
    campaigns: listOf(campaign, campaigns.listCampaigns),
    messages: withCohort(listOf(campaign, messages.listMessages), 'leadId'),
    courses: listOf(training, courses.listCourses),
    enrollments: listOf(training, enrollments.listEnrollments),
    certificates: listOf(training, certificates.listCertificates),
    // Everybody in the sandbox can read its exports, sandbox keys too, so they have no live entries.
    audit: { ...listOf(identity, auditLogs.listAuditLogs), inSandbox: { environment: 'sandbox' } },
    report,
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
