import type { pageDomains } from '@tandem/campaign-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { createPageDomain } from './create-page-domain.ts';
import { deletePageDomain } from './delete-page-domain.ts';
import { getAllowedPageDomain } from './get-allowed-page-domain.ts';
import { getPageDomain } from './get-page-domain.ts';
import { listPageDomains } from './list-page-domains.ts';
import { updatePageDomain } from './update-page-domain.ts';
import { verifyPageDomain } from './verify-page-domain.ts';

export const pageDomainHandlers = (tools: Tools) =>
  ({
    createPageDomain: createPageDomain(tools),
    listPageDomains: listPageDomains(tools),
    getPageDomain: getPageDomain(tools),
    updatePageDomain: updatePageDomain(tools),
    verifyPageDomain: verifyPageDomain(tools),
    deletePageDomain: deletePageDomain(tools),
    getAllowedPageDomain,
  }) satisfies Handlers<typeof pageDomains, Tx>;
