import type { providerEvents } from '@tandem/campaign-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { receiveInboundMail } from './receive-inbound-mail.ts';
import { receiveProviderEvent } from './receive-provider-event.ts';

export const providerEventHandlers = (tools: Tools) =>
  ({
    receiveProviderEvent: receiveProviderEvent(tools),
    receiveInboundMail: receiveInboundMail(tools),
  }) satisfies Handlers<typeof providerEvents, Tx>;
