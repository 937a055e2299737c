import { join } from 'node:path';
import { localDir, root, runDir } from './paths.ts';
import type { Ports } from './ports.ts';
import { SupervisedProcess } from './supervised.ts';

/** A mail server and SMS provider that delivers nothing and shows its messages in a browser. */
export interface LocalMailbox {
  smtpUrl: string;
  smsUrl: string;
  webUrl: string;
  stop(): Promise<void>;
}

const readyTimeoutMs = 1_000;

/** Starts the mailbox on the loopback address; undefined when SMTP_URL names the user's own mail server. */
export async function startMailbox(ports: Ports, log: (line: string) => void): Promise<LocalMailbox | undefined> {
  if (process.env['SMTP_URL']) return undefined;
  const [smtp, web] = [await ports.get('mailbox-smtp'), await ports.get('mailbox-web')];
  const webUrl = `http://127.0.0.1:${web}`;
  const entry = join(root, 'packages/mailbox/src/main.ts');
  const mailbox = new SupervisedProcess(
    {
      name: 'mailbox',
      kind: 'store',
      command: [process.execPath, '--disable-warning=ExperimentalWarning', entry],
      env: { ...process.env, SMTP_PORT: String(smtp), WEB_PORT: String(web) },
      cwd: root,
      isReady: () => answers(webUrl),
      readyWithinMs: 30_000,
      stopSignal: 'SIGTERM',
      stopWithinMs: 5_000,
      output: { file: join(localDir, 'log/mailbox.log') },
    },
    {
      runDir,
      events: { died: (reason) => log(`mailbox ${reason}`), back: () => log('mailbox is running again') },
    },
  );
  await mailbox.start();
  log(`Mailbox ready on port ${web}`);
  const smsUrl = `http://ACmailbox:token@127.0.0.1:${web}`;
  return { smtpUrl: `smtp://127.0.0.1:${smtp}`, smsUrl, webUrl, stop: () => mailbox.stop() };
}

async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(readyTimeoutMs) });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}
