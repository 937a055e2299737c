import { ErasedCounts, ExportSection, event, id, JobStarted, operations, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { Lead, leadDeleted } from './lead.ts';

const withId = z.object({ id: id('lead') });

export const leadErasureRequested = event('lead.erasure_requested', {
  description: 'The erasure of the data of a lead is requested',
  action: 'lead.erase',
  target: 'lead',
  data: z.object({ leadId: id('lead') }),
  record: z.object({ id: id('lead') }),
});

/** The certificate: its audit log entry names what each service erased, without any value. */
export const leadErased = event('lead.erased', {
  description: 'All services have erased their data of a lead',
  action: 'lead.complete_erasure',
  target: 'lead',
  data: z.object({ leadId: id('lead'), erased: z.record(z.string(), ErasedCounts) }),
  record: z.object({ id: id('lead') }),
});

export const leadDataExported = event('lead.data_exported', {
  description: 'The data of a lead is exported from all services',
  action: 'lead.export',
  target: 'lead',
  data: z.object({ leadId: id('lead') }),
  record: z.object({ id: id('lead') }),
});

export const LeadData = z.object({
  exportedAt: timestamp().describe('When the data was read'),
  lead: Lead.describe('The lead'),
  mergedLeads: z.array(Lead).describe('The leads that were merged into it'),
  services: z
    .array(
      z.object({
        service: z.string().meta({ description: 'The service that stores the data', examples: ['crm'] }),
        sections: z.array(ExportSection).describe('The data by kind'),
      }),
    )
    .describe('The data of each service'),
});

const merged = { lead_merged: [409, 'The lead was merged into another one; name that one'] } as const;

/** What an export reads besides the lead. */
const exported = [
  'opportunities:read',
  'tasks:read',
  'calendar:read',
  'activities:read',
  'files:read',
  'training:read',
  'audit:read',
] as const;

/** The data of the person behind a lead, in all services. */
export const leadData = operations({
  eraseLead: {
    method: 'POST',
    path: '/v1/leads/:id/erase',
    permission: 'leads:manage',
    summary: 'Erase a lead and its data in all services',
    description:
      'Removes the lead at once, with the leads that were merged into it, and starts a job that erases the data of the person in every service. Nothing can be restored. Activities, tasks, scores, executions of agents, recommendations and files of the lead are deleted, except files that are held or must be kept: the result of the job has their numbers (`filesKeptByHold`, `filesKeptByRetention`), and they are deleted once they are released. Opportunities keep their amounts, stages and dates, and lose notes and each text that mentions the person; calendar events keep their time. Enrolments keep progress and scores, and lose answers, texts and feedback; certificates are revoked and lose the name. Engagement events remain as numbers without the lead. Stored webhook events and notifications with the address, the phone number or the id of the lead are deleted, and so are such rows of imported and exported files; audit log entries about the lead and its records lose their values, and the hashes of the audit log stay verifiable. An uploaded file that was imported stays until you delete it. GET /v1/jobs/:id returns the progress, one step for each service, and then how many records each service erased, which is also in the audit log. Erase duplicates with the same address separately, or merge them first. A deleted lead can be erased while it can be restored; one that was merged is erased with the lead that it was merged into.',
    params: withId,
    reply: JobStarted,
    status: 202,
    message: 'Erasure started',
    emits: [leadDeleted, leadErasureRequested],
    errors: merged,
  },
  exportLeadData: {
    method: 'GET',
    path: '/v1/leads/:id/export',
    permission: 'leads:manage',
    also: exported,
    summary: 'Export the data of a lead from all services',
    description:
      'Returns the data that all services store about the person: in crm, files, training, analytics, agents, partner, search, stored webhook events, notifications and the audit log. Of stored webhook events and notifications, the newest 20,000 are searched. Private calendar events have no texts, and other attendees are left out. Permissions that are narrowed to own or team records are not sufficient. If a service is unavailable, the response is 503 instead of a part of the data. Each export is in the audit log.',
    params: withId,
    timeoutMs: 30_000,
    reply: LeadData,
    message: 'Lead data exported',
    emits: [leadDataExported],
    errors: merged,
  },
});
