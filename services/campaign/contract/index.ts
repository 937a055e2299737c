// Contract of the campaign service: campaigns, workflows, landing pages, AI generation, and the event of a submitted form.
import { ai } from './ai.ts';
import { campaigns } from './campaigns.ts';
import { internalCampaigns, internalWork } from './internal.ts';
import { landingPages } from './landing-pages.ts';
import { internalNames } from './names.ts';
import { workflows } from './workflows.ts';

export * from './ai.ts';
export * from './campaigns.ts';
export * from './forms.ts';
export * from './internal.ts';
export * from './landing-pages.ts';
export * from './names.ts';
export * from './workflows.ts';

export const campaign = {
  ...campaigns,
  ...landingPages,
  ...workflows,
  ...ai,
  ...internalCampaigns,
  ...internalWork,
  ...internalNames,
};
