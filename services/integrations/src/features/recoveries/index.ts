import type { recoveries } from '@tandem/integrations-contract';
import type { Handlers } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { recoverWebhook } from './recover-webhook.ts';
import { replayWebhook } from './replay-webhook.ts';

export const recoveryHandlers = { recoverWebhook, replayWebhook } satisfies Handlers<typeof recoveries, Tx>;
