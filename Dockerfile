# Three stages: runtime dependencies, build, and the image with the results of both.
# A version that the tests run on, with its digest for all platforms. Dependabot proposes newer ones.
ARG NODE=26.10.0-bookworm-slim@sha256:662933cf47f013bc8e4beb31a6116448427a82057ba7c42c97e4c5ba766504c2

FROM node:${NODE} AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# The data of geoip-lite (150 MB) is left out: the build writes country tables to dist/geodata.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund \
  && rm -rf node_modules/geoip-lite/data node_modules/geoip-lite/test \
  && find node_modules -name '*.map' -delete

FROM node:${NODE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN node scripts/front-door.mjs build && node scripts/front-door.mjs docs

FROM node:${NODE}
ARG COMMIT
ENV NODE_ENV=production COMMIT=${COMMIT}
WORKDIR /app
COPY --from=dependencies /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY --from=build /app/public public
COPY package.json LICENSE NOTICE ./
COPY migrations migrations
COPY config config
# This account owns nothing under /app, and the service writes no files: use a read-only root file
# system.
USER 1000:1000
EXPOSE 8787
HEALTHCHECK --interval=10s --timeout=3s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 8787}/health`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# One heap of malloc for all threads: each keeps what it once needed, to parse or to compile, 15 to 25 MB together.
ENV MALLOC_ARENA_MAX=1
# With 32 MB most objects of a request are dead before the next minor collection: a tenth less CPU than
# with Node's default. 64 MB save another 2 %, and take 64 MB more (docs/performance.md).
# A replica is sized for one core. There the helper threads of a collection take the core from the thread that
# answers requests: with 100,000 line items, p99 is a third without them (docs/adr/0008-cost-of-a-request.md).
CMD ["node", "--max-semi-space-size=32", "--single-threaded-gc", "dist/main.js"]
