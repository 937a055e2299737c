import { leads } from '@tandem/crm-contract';

/** The fields of a lead that a workflow can set. Ids in node data are public codes, so fields with ids have nodes of their own. */
export const leadFields = leads.updateLead.body
  .pick({
    firstName: true,
    lastName: true,
    phone: true,
    source: true,
    status: true,
    statusCode: true,
    score: true,
    customFields: true,
    timezone: true,
  })
  .strict();
