import type { internalMail, providerEvents } from '@tandem/campaign-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { receiveConnectedMail } from './receive-connected-mail.ts';
import { receiveInboundMail } from './receive-inbound-mail.ts';
import { receiveProviderEvent } from './receive-provider-event.ts';

export const providerEventHandlers = (tools: Tools) =>
  ({
    receiveProviderEvent: receiveProviderEvent(tools),
    receiveInboundMail: receiveInboundMail(tools),
    receiveConnectedMail: receiveConnectedMail(tools),
  }) satisfies Handlers<typeof providerEvents & typeof internalMail, Tx>;
