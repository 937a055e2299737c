import type { messages } from '@tandem/campaign-contract';
import type { Handlers } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { getMessage } from './get-message.ts';
import { listMessages } from './list-messages.ts';

export const messageHandlers = { listMessages, getMessage } satisfies Handlers<typeof messages, Tx>;
