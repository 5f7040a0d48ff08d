/* Shows /api/openapi.json. Uses the token of the trafficking page, which session storage keeps. */
(() => {
  'use strict';
  const KEY = 'admin-token';
  const form = document.getElementById('token');
  const fault = document.getElementById('fault');

  // Swagger UI is dark under this class; the page follows the reader's system.
  const prefersDark = window.matchMedia('(prefers-color-scheme: dark)');
  const follow = () => document.documentElement.classList.toggle('dark-mode', prefersDark.matches);
  prefersDark.addEventListener('change', follow);
  follow();

  // Swagger UI draws the choice of servers without a label, and at a time that it does not tell.
  new window.MutationObserver((_, observer) => {
    const servers = document.getElementById('servers');
    if (!servers) return;
    servers.setAttribute('aria-label', 'Server');
    observer.disconnect();
  }).observe(document.getElementById('api'), { childList: true, subtree: true });

  const show = async () => {
    const token = sessionStorage.getItem(KEY);
    const answer = await fetch('/api/openapi.json', { headers: token ? { Authorization: `Bearer ${token}` } : {} });
    form.hidden = answer.status !== 401;
    if (answer.status === 401) return;
    if (!answer.ok) throw new Error(`The service answered ${answer.status}.`);
    window.SwaggerUIBundle({
      spec: await answer.json(),
      dom_id: '#api',
      docExpansion: 'list',
      defaultModelsExpandDepth: 0,
      validatorUrl: null,
      requestInterceptor: (request) => {
        if (token && new URL(request.url, location.href).pathname.startsWith('/api/')) request.headers.Authorization ??= `Bearer ${token}`;
        return request;
      },
    });
  };

  const showFault = (error) => {
    fault.textContent = `The API description could not be loaded. ${error.message}`;
    fault.hidden = false;
  };

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    sessionStorage.setItem(KEY, new FormData(form).get('token'));
    show().catch(showFault);
  });
  show().catch(showFault);
})();
