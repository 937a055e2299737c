import type { audiences } from '@tandem/campaign-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { getAudience } from './get-audience.ts';
import { previewAudience } from './preview-audience.ts';
import { setAudience } from './set-audience.ts';

export const audienceHandlers = (tools: Pick<Tools, 'crm' | 'seal'>) =>
  ({
    getAudience,
    setAudience: setAudience(tools),
    previewAudience: previewAudience(tools),
  }) satisfies Handlers<typeof audiences, Tx>;
