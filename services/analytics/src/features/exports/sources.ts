import { executions, recommendations } from '@tandem/agents-contract';
import { dataExportLimits, engagement } from '@tandem/analytics-contract';
import {
  campaignResults,
  campaigns,
  formSubmissions,
  forms,
  landingPages,
  messages,
  segments,
  suppressions,
  templates,
  executions as workflowExecutions,
  workflows,
} from '@tandem/campaign-contract';
import type { ServiceClient } from '@tandem/client/internal';
import { type Operation, pageItem, type recordPages } from '@tandem/contract';
import { accounts, activities, calendarEvents, leads, opportunities, tasks } from '@tandem/crm-contract';
import { files } from '@tandem/files-contract';
import { auditLogs, teams, users } from '@tandem/identity-contract';
import { deliveries } from '@tandem/integrations-contract';
import { commissions, dealRegistrations, partners, payouts, referrals } from '@tandem/partner-contract';
import { asService, readRecordPage } from '@tandem/service';
import { attempts, certificates, courses, enrollments } from '@tandem/training-contract';
import type { z } from 'zod';
import type { Peers } from '../../handler.ts';
import { listRecordedEvents } from '../events/list-recorded-events.ts';
import { withCohort } from './cohort-source.ts';
import type { Source, Sources } from './source.ts';

/**
 * The sources of exports. A new one is a line here and a value of `exportSources`. The records must name the lead that they are
 * about, or its address, because the erasure of a person looks for these in files.
 */
export function sourcesOf(peers: Peers, report: Source): Sources {
  const { crm, identity, partner, campaign, training, integrations, agents } = peers;
  return {
    events: withCohort(eventsOf(peers), 'leadId'),
    leads: withCohort(listOf(crm, leads.listLeads), 'id'),
    accounts: listOf(crm, accounts.listAccounts),
    opportunities: listOf(crm, opportunities.listOpportunities),
    tasks: listOf(crm, tasks.listTasks),
    activities: listOf(crm, activities.listActivities),
    // A private event has its content in files of its members only.
    calendar_events: { ...listOf(crm, calendarEvents.listCalendarEvents), isOwn: true },
    partners: listOf(partner, partners.listPartners),
    referrals: withCohort(listOf(partner, referrals.listReferrals), 'leadId'),
    deal_registrations: listOf(partner, dealRegistrations.listDealRegistrations),
    commissions: listOf(partner, commissions.listCommissions),
    payouts: listOf(partner, payouts.listPayouts),
    campaigns: listOf(campaign, campaigns.listCampaigns),
    recipients: withCohort(listOf(campaign, campaignResults.listRecipients), 'leadId'),
    messages: withCohort(listOf(campaign, messages.listMessages), 'leadId'),
    segments: listOf(campaign, segments.listSegments),
    templates: listOf(campaign, templates.listTemplates),
    forms: listOf(campaign, forms.listForms),
    form_submissions: withCohort(listOf(campaign, formSubmissions.listFormSubmissions), 'leadId'),
    landing_pages: listOf(campaign, landingPages.listLandingPages),
    workflows: listOf(campaign, workflows.listWorkflows),
    workflow_executions: withCohort(listOf(campaign, workflowExecutions.listWorkflowExecutions), 'leadId'),
    suppressions: listOf(campaign, suppressions.listSuppressions),
    courses: listOf(training, courses.listCourses),
    enrollments: listOf(training, enrollments.listEnrollments),
    certificates: listOf(training, certificates.listCertificates),
    attempts: listOf(training, attempts.listAttempts),
    files: listOf(peers.files, files.listFiles),
    webhook_deliveries: listOf(integrations, deliveries.listDeliveries),
    agent_executions: withCohort(ofReadableLeads(peers, listOf(agents, executions.listExecutions)), 'leadId'),
    agent_recommendations: withCohort(
      ofReadableLeads(peers, listOf(agents, recommendations.listRecommendations)),
      'leadId',
    ),
    users: listOf(identity, users.listUsers),
    teams: listOf(identity, teams.listTeams),
    // Everybody in the sandbox can read its exports, sandbox keys too, so they have no live entries.
    audit: { ...listOf(identity, auditLogs.listAuditLogs), inSandbox: { environment: 'sandbox' } },
    report,
  };
}

function eventsOf(peers: Peers): Source {
  // The check asks crm for the leads of the latest events only.
  const handler = { ...listRecordedEvents(peers), check: async () => undefined };
  const row = engagement.listRecordedEvents;
  return ofReadableLeads(peers, {
    ...records(row),
    rowsMax: dataExportLimits.events,
    read: (page, { tx, actor, scope }) =>
      readRecordPage({ row, handler }, page, { tx, caller: { ...actor, ...scope, permissions: [] } }),
  });
}

/** A source whose records are about leads: for a caller with narrowed `leads:read`, those of other leads are left out of each page. */
function ofReadableLeads({ crm }: Peers, source: Source): Source {
  return {
    ...source,
    narrowedBy: 'leads:read',
    async read(page, reading) {
      const { actor, narrow, scope } = reading;
      const read = await source.read(page, { ...reading, narrow: null });
      if (!narrow) return read;
      const leadOf = ({ leadId }: Record<string, unknown>) => Number(leadId ?? 0);
      const ids = [...new Set(read.records.map(leadOf))].filter(Boolean);
      const as = asService({ ...actor, ...scope, permissions: [] }, narrow);
      const visible = ids.length ? await crm.filterLeads({ body: { ids }, as }) : { ids };
      const known = new Set(visible.ids);
      return { ...read, records: read.records.filter((record) => known.has(leadOf(record))) };
    },
  };
}

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
