"""A client of the ad server's trafficking API."""

from . import problems
from .ad_server import AdServer
from .problem import Problem, Unreachable
from .record import etag_of

__all__ = ["AdServer", "Problem", "Unreachable", "etag_of", "problems"]
