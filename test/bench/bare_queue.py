"""The bare queue of bare-queue.ts in SimPy: customers, servers, mean service and mean time between arrivals in ms."""

import json
import random
import sys
import time

import simpy

customers, servers = int(sys.argv[1]), int(sys.argv[2])
service, arrival = float(sys.argv[3]), float(sys.argv[4])
chance = random.Random(1)
env = simpy.Environment()
desk = simpy.Resource(env, capacity=servers)


def customer():
    with desk.request() as turn:
        yield turn
        yield env.timeout(chance.expovariate(1 / service))


def arrivals():
    for _ in range(customers):
        env.process(customer())
        yield env.timeout(chance.expovariate(1 / arrival))


began = time.process_time()
env.process(arrivals())
env.run()
print(json.dumps({"version": simpy.__version__, "us": (time.process_time() - began) * 1e6 / customers}))
