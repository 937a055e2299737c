import type { totp } from '@tandem/identity-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { confirmTotp } from './confirm-totp.ts';
import { disableTotp } from './disable-totp.ts';
import { getTotp } from './get-totp.ts';
import { resetUserTotp } from './reset-user-totp.ts';
import { startTotp } from './start-totp.ts';

export const totpHandlers = (tools: Tools) =>
  ({
    getTotp,
    startTotp: startTotp(tools),
    confirmTotp: confirmTotp(tools),
    disableTotp: disableTotp(tools),
    resetUserTotp: resetUserTotp(tools),
  }) satisfies Handlers<typeof totp, Tx>;
