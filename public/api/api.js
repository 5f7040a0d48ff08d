/* Shows /api/openapi.json. Uses the token of the trafficking page, which session storage keeps. */
(() => {
  'use strict';
  const KEY = 'admin-token';
  const form = document.getElementById('token');
  const fault = document.getElementById('fault');

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
