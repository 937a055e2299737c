import type { sendingDomains } from '@tandem/campaign-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { createSendingDomain } from './create-sending-domain.ts';
import { deleteSendingDomain } from './delete-sending-domain.ts';
import { getSendingDomain } from './get-sending-domain.ts';
import { listSendingDomains } from './list-sending-domains.ts';
import { updateSendingDomain } from './update-sending-domain.ts';
import { verifySendingDomain } from './verify-sending-domain.ts';

export const sendingDomainHandlers = (tools: Tools) =>
  ({
    createSendingDomain: createSendingDomain(tools),
    listSendingDomains: listSendingDomains(tools),
    getSendingDomain: getSendingDomain(tools),
    updateSendingDomain: updateSendingDomain(tools),
    verifySendingDomain: verifySendingDomain(tools),
    deleteSendingDomain: deleteSendingDomain(tools),
  }) satisfies Handlers<typeof sendingDomains, Tx>;
