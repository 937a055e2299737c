import {
  campaignResults,
  campaigns,
  executions,
  formSubmissions,
  forms,
  landingPages,
  messages,
  segments,
  suppressions,
  templates,
  workflows,
} from '@tandem/campaign-contract';
import { recordPagesHandler } from '@tandem/service';
import type { Tools } from '../../handler.ts';
import { listRecipients } from '../campaign-results/list-recipients.ts';
import { listCampaigns } from '../campaigns/list-campaigns.ts';
import { listWorkflowExecutions } from '../executions/list-workflow-executions.ts';
import { listFormSubmissions } from '../forms/list-form-submissions.ts';
import { listForms } from '../forms/list-forms.ts';
import { listLandingPages } from '../landing-pages/list-landing-pages.ts';
import { listMessages } from '../messages/list-messages.ts';
import { listSegments } from '../segments/list-segments.ts';
import { listSuppressions } from '../suppressions/list-suppressions.ts';
import { listTemplates } from '../templates/list-templates.ts';
import { listWorkflows } from '../workflows/list-workflows.ts';

/** The lists of campaign that other services export. */
export const readRecordPage = (tools: Tools) =>
  recordPagesHandler([
    { row: campaigns.listCampaigns, handler: listCampaigns },
    { row: campaignResults.listRecipients, handler: listRecipients },
    { row: messages.listMessages, handler: listMessages },
    { row: segments.listSegments, handler: listSegments },
    { row: templates.listTemplates, handler: listTemplates },
    { row: forms.listForms, handler: listForms(tools) },
    { row: formSubmissions.listFormSubmissions, handler: listFormSubmissions },
    { row: landingPages.listLandingPages, handler: listLandingPages(tools) },
    { row: workflows.listWorkflows, handler: listWorkflows },
    { row: executions.listWorkflowExecutions, handler: listWorkflowExecutions },
    { row: suppressions.listSuppressions, handler: listSuppressions(tools) },
  ]);
