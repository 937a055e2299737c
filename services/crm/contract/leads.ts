import { flag, id, listQuery, operations, page, sharedErrors, text, timestamp, wholeNumber } from '@tandem/contract';
import { z } from 'zod';
import { customFieldErrors, customFieldFilters } from './custom-fields.ts';
import {
  Lead,
  LeadDetail,
  LeadSource,
  LeadStatus,
  leadChanges,
  leadCreated,
  leadDeleted,
  leadRestored,
  leadStatusChanged,
  leadUpdated,
  writableLead,
} from './lead.ts';

const withId = z.object({ id: id('lead') });
const inAccount = [{ permission: 'accounts:read', for: 'accountId' }] as const;

export const statusErrors = {
  transition_refused: sharedErrors.transition_refused,
  lead_converted: [409, 'The status of a converted lead cannot change'],
} as const;

export const externalIdErrors = { external_id_taken: [409, 'Another lead has this externalId'] } as const;

export const leads = operations({
  createLead: {
    method: 'POST',
    path: '/v1/leads',
    permission: 'leads:write',
    also: inAccount,
    narrows: true,
    summary: 'Create a lead',
    description:
      'Without `accountId`, the lead is put to the account with the domain of its e-mail address, unless that is a public mail provider. `teamId` defaults to the only team of the assignee; if the assignee is in several, to the only team of the acting user, if the assignee is in it; without an assignee, to the only team of the acting user. Without `status` and `statusCode`, the lead gets the default lead status. Possible duplicates are detected asynchronously; list them with GET /v1/leads/duplicates.',
    body: writableLead,
    reply: Lead,
    status: 201,
    message: 'Lead created',
    emits: [leadCreated],
    errors: { ...customFieldErrors, ...externalIdErrors },
  },
  listLeads: {
    method: 'GET',
    path: '/v1/leads',
    permission: 'leads:read',
    narrows: true,
    summary: 'List leads',
    description:
      '`search` covers the e-mail address, first name, last name and `externalId`. `sort=customFields.<key>` sorts by a custom field that is defined as sortable, and returns only leads with a value in it.',
    query: listQuery(['createdAt', 'updatedAt', 'score', 'email', 'lastName'], '-createdAt', {
      byCustomFields: true,
    }).extend({
      status: LeadStatus.optional(),
      statusCode: writableLead.shape.statusCode,
      source: LeadSource.optional(),
      assignedTo: id('user').optional(),
      teamId: id('team').optional(),
      accountId: id('account').optional(),
      scoreMin: wholeNumber(0, 100).describe('Return only leads with this score or a higher one').optional(),
      scoreMax: wholeNumber(0, 100).describe('Return only leads with this score or a lower one').optional(),
      externalId: text(255).describe('Return only leads with this `externalId`').optional(),
      tag: text(50)
        .meta({ description: 'Return only leads with this tag', examples: ['vip'] })
        .optional(),
      converted: flag()
        .describe('Return only converted leads (`true`), or only leads that are not converted (`false`)')
        .optional(),
      convertedFrom: timestamp().describe('Return only leads converted at this time or later').optional(),
      convertedTo: timestamp().describe('Return only leads converted at this time or earlier').optional(),
      deleted: flag()
        .describe('Return only deleted records (`true`), or only records that are not deleted (`false`, the default)')
        .optional(),
      ...customFieldFilters,
    }),
    reply: page(Lead),
    message: 'Leads retrieved',
  },
  getLead: {
    method: 'GET',
    path: '/v1/leads/:id',
    permission: 'leads:read',
    narrows: true,
    summary: 'Retrieve a lead',
    params: withId,
    reply: LeadDetail,
    message: 'Lead retrieved',
  },
  updateLead: {
    method: 'PATCH',
    path: '/v1/leads/:id',
    permission: 'leads:write',
    also: inAccount,
    narrows: true,
    summary: 'Update a lead',
    description:
      'Changes the given fields. A lead without an account follows a new e-mail address into the account of its domain. `customFields` is replaced as a whole, `consent` channel by channel. A changed score is pinned, as POST /v1/leads/:id/score does. A change of `status` or `statusCode` follows the rules of POST /v1/leads/:id/status.',
    params: withId,
    body: writableLead.partial(),
    reply: Lead,
    message: 'Lead updated',
    emits: leadChanges,
    errors: { ...statusErrors, ...customFieldErrors, ...externalIdErrors },
  },
  deleteLead: {
    method: 'DELETE',
    path: '/v1/leads/:id',
    permission: 'leads:delete',
    narrows: true,
    summary: 'Delete a lead',
    description: 'You can restore the lead for 30 days.',
    params: withId,
    reply: z.object({ id: id('lead'), deleted: z.literal(true).describe('Always true') }),
    message: 'Lead deleted',
    emits: [leadDeleted],
  },
  restoreLead: {
    method: 'POST',
    path: '/v1/leads/:id/restore',
    permission: 'leads:write',
    narrows: true,
    summary: 'Restore a deleted lead',
    description: 'Restores a lead that was deleted within the last 30 days.',
    params: withId,
    reply: Lead,
    message: 'Lead restored',
    emits: [leadRestored],
    errors: {
      not_deleted: sharedErrors.not_deleted,
      lead_merged: [409, 'The lead was merged into another one; undo the merge to restore it'],
      ...customFieldErrors,
      ...externalIdErrors,
    },
  },
  changeLeadStatus: {
    method: 'POST',
    path: '/v1/leads/:id/status',
    permission: 'leads:write',
    narrows: true,
    summary: 'Change the status of a lead',
    description:
      'Allowed changes: new → contacted, qualified, unqualified; contacted → qualified, unqualified; qualified → contacted, unqualified; unqualified → contacted. Send `status`, or `statusCode` with the code of a lead status of your own, whose category becomes the status; a lead can always change between the codes of one category. With `status` alone, the lead gets the first code of that category.',
    params: withId,
    body: z.object({
      status: LeadStatus.optional().meta({ examples: ['contacted'] }),
      statusCode: writableLead.shape.statusCode.meta({ examples: ['contacted'] }),
      reason: text(500)
        .nullish()
        .meta({ description: 'The reason for the change', examples: ['Asked to be called next quarter'] }),
    }),
    example: { allowedTransitions: ['qualified', 'unqualified'] },
    reply: Lead,
    message: 'Lead status changed',
    emits: [leadUpdated, leadStatusChanged],
    errors: statusErrors,
  },
});
