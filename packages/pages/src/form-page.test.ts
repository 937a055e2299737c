import { formPage } from './form-page.ts';

const { body } = formPage({
  title: 'Choose a password',
  text: 'A long one.',
  action: '/v1/auth/password/reset',
  token: 'the-token',
  fields: [{ name: 'new', label: 'New password', type: 'password', autocomplete: 'new-password', minLength: 8 }],
  button: 'Set password',
  next: { label: 'Sign in', url: 'https://app.example.com' },
});
const script = /<script>([\s\S]*)<\/script>/.exec(body)?.[1] as string;

/** Runs the script of the page in a minimal browser, submits the form, and returns what is shown then. */
async function submitted(
  status: number,
  reply: object,
  { boxes = [], choices = [] }: { boxes?: object[]; choices?: object[] } = {},
) {
  const button = { disabled: false };
  const place = { textContent: '' };
  const message = { textContent: '', className: '' };
  const next = { hidden: true };
  const listeners: ((event: object) => Promise<void>)[] = [];
  const requests: [string, string][] = [];
  let reloads = 0;
  const fieldsBy: Record<string, object[]> = {
    '[data-error]': [place],
    '[type=checkbox]': boxes,
    '[data-null]': choices,
  };
  const form = {
    hidden: false,
    dataset: {
      action: '/v1/auth/password/reset',
      method: 'POST',
      unreachable: 'The server could not be reached. Try again.',
    },
    addEventListener: (_name: string, listener: (event: object) => Promise<void>) => listeners.push(listener),
    querySelector: (selector: string) =>
      selector === 'button' ? button : selector === '[data-error="new"]' ? place : null,
    querySelectorAll: (selector: string) => fieldsBy[selector] ?? [],
  };
  const elements: Record<string, object> = { form, '[role=status]': message, '[data-next]': next };
  const browser = {
    document: { querySelector: (selector: string) => elements[selector] },
    location: { reload: () => (reloads += 1) },
    FormData: class {
      *[Symbol.iterator]() {
        yield ['token', 'the-token'];
        yield ['new', 'short'];
      }
    },
    fetch: async (url: string, request: { body: string }) => {
      requests.push([url, request.body]);
      return { ok: status < 300, status, json: async () => reply };
    },
  };
  new Function(...Object.keys(browser), script)(...Object.values(browser));
  await listeners[0]?.({ preventDefault: () => undefined });
  return { requests, reloads, form, button, next, error: place.textContent, message };
}

it('shows an error below the input it is about, without the message for developers', async () => {
  const errors = [{ field: 'new', message: 'Must be at least 8 characters' }];
  const shown = await submitted(422, { message: 'Validation failed', errors });
  expect(shown.requests).toEqual([['/v1/auth/password/reset', '{"token":"the-token","new":"short"}']]);
  expect([shown.error, shown.message.textContent]).toEqual(['Must be at least 8 characters', '']);
  expect([shown.button.disabled, shown.form.hidden, shown.next.hidden, shown.reloads]).toEqual([false, false, true, 0]);
});

it('shows the message of any other error', async () => {
  const { message, error } = await submitted(429, { message: 'Too many failed attempts', errors: [] });
  expect([error, message]).toEqual(['', { textContent: 'Too many failed attempts', className: 'bad' }]);
});

it('loads the page again when the link was used in the meantime', async () => {
  const errors = [{ field: 'token', message: 'Is invalid, used or expired; request a new link' }];
  expect((await submitted(422, { message: 'Validation failed', errors })).reloads).toBe(1);
});

it('hides the form after success, and shows what comes next', async () => {
  const { message, form, next } = await submitted(200, { message: 'Password reset', data: {} });
  expect([message.textContent, form.hidden, next.hidden]).toEqual(['Password reset', true, false]);
});

it('sends checkboxes as booleans, and the empty value of a nullable choice as null', async () => {
  const boxes = [
    { name: 'topics.news', checked: true },
    { name: 'topics.offers', checked: false },
  ];
  const choices = [{ name: 'pauseUntil', value: '' }];
  const { requests } = await submitted(200, { message: 'Saved' }, { boxes, choices });
  expect(JSON.parse(requests[0]?.[1] as string)).toMatchObject({
    topics: { news: true, offers: false },
    pauseUntil: null,
  });
});

it('is in the language of the reader', () => {
  const fields = [{ name: 'topics.news', label: 'Neues', checked: true }];
  const page = formPage({ title: 'A', text: 'B', action: '/x', method: 'PATCH', lang: 'de', fields, button: 'C' });
  expect(page.body).toContain('<html lang="de">');
  expect(page.body).toContain('data-method="PATCH"');
  expect(page.body).toContain('<input type="checkbox" name="topics.news" checked');
  expect(page.body).toContain('Diese Seite benötigt JavaScript.');
});
