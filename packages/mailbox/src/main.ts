// Runs a mailbox until SIGTERM, on the ports SMTP_PORT and WEB_PORT.
import { startMailbox } from './mailbox.ts';

const mailbox = await startMailbox({ smtp: Number(process.env['SMTP_PORT']), web: Number(process.env['WEB_PORT']) });
for (const signal of ['SIGTERM', 'SIGINT'])
  process.once(signal, () => void mailbox.close().then(() => process.exit(0)));
