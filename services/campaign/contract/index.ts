// Contract of the campaign service: campaigns, workflows and their messages, landing pages, forms and AI generation.
import { personalDataOperations, recordPages } from '@tandem/contract';
import { abTests } from './ab-tests.ts';
import { ai } from './ai.ts';
import { audiences } from './audiences.ts';
import { campaignResults } from './campaign-results.ts';
import { campaigns } from './campaigns.ts';
import { executions } from './executions.ts';
import { formSubmissions } from './form-submissions.ts';
import { forms } from './forms.ts';
import { internalCampaigns, internalMail, internalWork } from './internal.ts';
import { landingPages } from './landing-pages.ts';
import { messages } from './messages.ts';
import { internalNames } from './names.ts';
import { pageDomains } from './page-domains.ts';
import { preferences } from './preferences.ts';
import { providerEvents } from './provider-events.ts';
import { publicPages } from './public-pages.ts';
import { segments } from './segments.ts';
import { senders } from './senders.ts';
import { sendingDomains } from './sending-domains.ts';
import { sequences } from './sequences.ts';
import { suppressions } from './suppressions.ts';
import { templates } from './templates.ts';
import { topics } from './topics.ts';
import { tracking } from './tracking.ts';
import { triggers } from './triggers.ts';
import { workflowChecks } from './workflow-checks.ts';
import { workflows } from './workflows.ts';

export * from './ab-test.ts';
export * from './ab-tests.ts';
export * from './ai.ts';
export * from './audiences.ts';
export * from './campaign.ts';
export * from './campaign-results.ts';
export * from './campaigns.ts';
export * from './dns-records.ts';
export * from './executions.ts';
export * from './form-fields.ts';
export * from './form-submissions.ts';
export * from './forms.ts';
export * from './internal.ts';
export * from './landing-page.ts';
export * from './landing-pages.ts';
export * from './messages.ts';
export * from './names.ts';
export * from './page-domains.ts';
export * from './preferences.ts';
export * from './provider-events.ts';
export * from './public-pages.ts';
export * from './segments.ts';
export * from './senders.ts';
export * from './sending-domains.ts';
export * from './sequences.ts';
export * from './suppressions.ts';
export * from './template.ts';
export * from './template-blocks.ts';
export * from './templates.ts';
export * from './topics.ts';
export * from './tracking.ts';
export * from './triggers.ts';
export * from './workflow.ts';
export * from './workflow-checks.ts';
export * from './workflow-nodes.ts';
export * from './workflow-settings.ts';
export * from './workflows.ts';

export const campaign = {
  ...campaigns,
  ...sequences,
  ...campaignResults,
  ...segments,
  ...senders,
  ...sendingDomains,
  ...audiences,
  ...landingPages,
  ...pageDomains,
  ...publicPages,
  ...forms,
  ...formSubmissions,
  ...workflows,
  ...workflowChecks,
  ...executions,
  ...triggers,
  ...messages,
  ...tracking,
  ...providerEvents,
  ...suppressions,
  ...topics,
  ...templates,
  ...preferences,
  ...abTests,
  ...ai,
  ...internalCampaigns,
  ...internalMail,
  ...internalWork,
  ...internalNames,
  ...recordPages,
  ...personalDataOperations,
};
