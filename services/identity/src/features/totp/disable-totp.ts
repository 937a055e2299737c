import { type totp, totpDisabled } from '@tandem/identity-contract';
import { fail } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { readTenant } from '../tenants/tenant.ts';
import { accept, checkCode, findConfirmed, lockTotp, personOf, wrongCode } from './totp.ts';
import { mailTotpChange } from './totp-mail.ts';

export const disableTotp = (tools: Tools): Handler<typeof totp.disableTotp> => ({
  async check({ body, caller, tx }) {
    const row = await findConfirmed(tx, personOf(caller));
    if (!row) throw fail('totp_off');
    if ((await readTenant(tx)).requireTotp) throw fail('totp_required');
    await checkCode({ tx, tenantId: row.tenantId, row, code: body.code }, tools);
  },
  async run({ body, caller, tx, emit, schedule }) {
    const userId = personOf(caller);
    const { confirmed } = await lockTotp(tx, userId);
    if (!confirmed) throw fail('totp_off');
    if (!(await accept(tx, emit, { row: confirmed, code: body.code }, tools))) throw wrongCode();
    await tx.totp.deleteMany({ where: { userId } });
    emit(totpDisabled, { data: { userId }, record: { id: userId } });
    const user = await tx.user.findFirst({ where: { id: userId } });
    if (!user) throw fail('not_found');
    await mailTotpChange({ tx, schedule }, user, 'disabled', tools);
    return { enabled: false };
  },
});
