import type { sso, ssoSignIn } from '@tandem/identity-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { addSsoDomain } from './add-sso-domain.ts';
import { configureSso } from './configure-sso.ts';
import { deleteSso } from './delete-sso.ts';
import { deleteSsoDomain } from './delete-sso-domain.ts';
import { finishSso } from './finish-sso.ts';
import { getSso } from './get-sso.ts';
import { listSsoDomains } from './list-sso-domains.ts';
import { startSso } from './start-sso.ts';
import { unlinkUserSso } from './unlink-user-sso.ts';
import { verifySsoDomain } from './verify-sso-domain.ts';

export const ssoHandlers = (tools: Tools) =>
  ({
    getSso: getSso(tools),
    configureSso: configureSso(tools),
    deleteSso,
    listSsoDomains,
    addSsoDomain,
    verifySsoDomain: verifySsoDomain(tools),
    deleteSsoDomain,
    unlinkUserSso: unlinkUserSso(tools),
    startSso: startSso(tools),
    finishSso: finishSso(tools),
  }) satisfies Handlers<typeof sso & typeof ssoSignIn, Tx>;
